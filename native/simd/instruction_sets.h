// The instruction sets that kernels are compiled for beside the baseline's, and which of them run here.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace emberline {

// Best first.
enum class InstructionSet {
  kAvx512,    // F, BW, DQ, VL and VNNI
  kAvxVnni,   // AVX2 and AVX-VNNI
  kAvx2,      // with FMA and F16C
  kNeonI8mm,  // with SDOT and SMMLA
  kNeon,      // with SDOT
  kNeonMull,  // that every 64-bit Arm has
  kPortable,  // runs anywhere
};

// Those this machine can run, best first.
std::vector<InstructionSet> runnable_instruction_sets();
std::vector<std::string> runnable_isas();  // their names

// By name; "auto": the best this machine can run. A set it cannot run, or an unknown name, is
// INVALID_ARGUMENT.
Result<InstructionSet> instruction_set(const std::string& isa);

}  // namespace emberline
