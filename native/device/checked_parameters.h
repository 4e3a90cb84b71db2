// A command of a dispatch table, read with every parameter checked: what every device's plan begins with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/dispatch_table.h"

namespace emberline {

// Extents of any matrix, cache or batch a plan admits; so small that no product of an extent, a row count and
// an element size overflows 64 bits.
inline constexpr std::uint32_t kMaxExtent = 1u << 24;
inline constexpr std::uint32_t kMaxBatchRows = 4096;

// The first check that fails decides the message; nothing that is returned after it may be used.
class CheckedParameters {
 public:
  // `command` outlives the object.
  explicit CheckedParameters(const Command& command) : command_(command) {}

  Op op() const { return command_.op; }
  // Unchecked, as are the values in it until one of the checks below has seen them.
  template <typename Params>
  Params params() const {
    return command_.get_params<Params>();
  }

  bool ok() const { return problem_ == nullptr; }
  // What is wrong, to end a sentence with; null while nothing is.
  const char* problem() const { return problem_; }
  void fail(const char* problem) {
    if (ok()) problem_ = problem;
  }
  void require(bool condition, const char* problem) {
    if (!condition) fail(problem);
  }

  // Parameters. An extent is in [1, kMaxExtent]; whether all so far have been right is returned.
  bool extent(std::uint64_t value);
  void flag(std::uint32_t value);
  void epsilon(float value);
  void gate_activation(std::uint32_t value);

  // Whether the command has the patch `kind`, at these offsets; it may have none instead.
  bool patch(Patch kind, std::size_t offset_1 = 0, std::size_t offset_2 = 0);
  void no_patch();

  const Binding& binding(int slot) const { return command_.bindings[static_cast<std::size_t>(slot)]; }

  // Of the checks so far.
  const CommandTraffic& traffic() const { return traffic_; }

 protected:
  CommandTraffic traffic_;

 private:
  const Command& command_;
  const char* problem_ = nullptr;
};

}  // namespace emberline
