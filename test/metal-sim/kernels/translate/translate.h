// Metal Shading Language to C++ for OpenCL. The text is left as it stands but for four changes: vector
// constructors get the name of a function, function constants become variables that the host can set,
// attributes go, and identifiers that OpenCL reserves are renamed. Behind it come one entry function a kernel
// and the library's manifest.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "kernels/manifest.h"

namespace emberline::metal_sim {

struct Translation {
  std::string text;
  Manifest manifest;
};

// `preprocessed`: macros expanded, line markers kept. INVALID_ARGUMENT, with a place, for what the simulator
// does not support.
Result<Translation> translate(std::string_view preprocessed, bool checked);

}  // namespace emberline::metal_sim
