#include "device/checked_parameters.h"

#include <cmath>

namespace emberline {

bool CheckedParameters::extent(std::uint64_t value) {
  require(value >= 1 && value <= kMaxExtent, "an extent is not in 1 to 16777216");
  return ok();
}

void CheckedParameters::flag(std::uint32_t value) {
  require(value <= 1, "a flag is neither 0 nor 1");
}

void CheckedParameters::epsilon(float value) {
  require(std::isfinite(value) && value >= 0.0f, "the epsilon is not a small number");
}

void CheckedParameters::gate_activation(std::uint32_t value) {
  require(value <= kGateGeluTanh, "there is no such activation");
}

bool CheckedParameters::patch(Patch kind, std::size_t offset_1, std::size_t offset_2) {
  if (command_.patch == Patch::kNone) return false;
  require(
      command_.patch == kind && command_.patch_offset_1 == offset_1 && command_.patch_offset_2 == offset_2,
      "the patch does not fit the op");
  return true;
}

void CheckedParameters::no_patch() {
  require(command_.patch == Patch::kNone, "the patch does not fit the op");
}

}  // namespace emberline
