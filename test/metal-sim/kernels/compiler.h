// From Metal source to a shared library that Library::open loads: clang's preprocessor, the translator, and
// clang's C++ for OpenCL.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "kernels/simulator.h"

namespace emberline::metal_sim {

// Preprocesses `source` under the name `name` (for diagnostics). INVALID_ARGUMENT with diagnostics.
Result<std::string> preprocess(std::string_view source, const std::string& name,
                               const CompileOptions& options);

// Writes the library to `path`; warnings, if any, are the value. INVALID_ARGUMENT with diagnostics.
Result<std::string> compile_to(const std::string& path, std::string_view source, const std::string& name,
                               const CompileOptions& options);

// The path of the library of a source, in the build folder: compiled unless the same was before.
// INVALID_ARGUMENT with diagnostics.
Result<std::string> cached_library(std::string_view source, const std::string& name,
                                   const CompileOptions& options);

}  // namespace emberline::metal_sim
