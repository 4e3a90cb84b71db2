#include "simd/instruction_sets.h"

#include "base/cpu_features.h"

namespace emberline {
namespace {

struct Entry {
  InstructionSet set;
  const char* name;
  bool (*runs_here)();
};

// Of this architecture, best first.
constexpr Entry kEntries[] = {
#if defined(__x86_64__) || defined(_M_X64)
    {InstructionSet::kAvx512, "avx512", [] { return cpu_features().avx512; }},
    {InstructionSet::kAvxVnni, "avxvnni", [] { return cpu_features().avx_vnni; }},
    {InstructionSet::kAvx2, "avx2", [] { return cpu_features().avx2; }},
#elif defined(__aarch64__) || defined(_M_ARM64)
#if EMBERLINE_NEON_I8MM
    {InstructionSet::kNeonI8mm, "neon_i8mm",
     [] { return cpu_features().dot_product && cpu_features().i8mm; }},
#endif
    {InstructionSet::kNeon, "neon", [] { return cpu_features().dot_product; }},
    {InstructionSet::kNeonMull, "neon_mull", [] { return true; }},
#endif
    {InstructionSet::kPortable, "portable", [] { return true; }},
};

}  // namespace

std::vector<InstructionSet> runnable_instruction_sets() {
  std::vector<InstructionSet> sets;
  for (const Entry& entry : kEntries) {
    if (entry.runs_here()) sets.push_back(entry.set);
  }
  return sets;
}

std::vector<std::string> runnable_isas() {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) {
    if (entry.runs_here()) names.emplace_back(entry.name);
  }
  return names;
}

Result<InstructionSet> instruction_set(const std::string& isa) {
  std::string known = "'auto'";
  for (const Entry& entry : kEntries) {
    if ((isa == "auto" || isa == entry.name) && entry.runs_here()) return entry.set;
    if (isa == entry.name) {
      return Status(ErrorCode::kInvalidArgument,
                    "This processor cannot run the instruction set '" + isa + "'; use 'auto'.");
    }
    known += std::string(", '") + entry.name + "'";
  }
  return Status(ErrorCode::kInvalidArgument,
                "Unknown instruction set '" + isa + "'; use one of " + known + ".");
}

}  // namespace emberline
