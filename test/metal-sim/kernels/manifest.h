// What a compiled library says about its kernels: lines of text in a constant of the library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kernels/simulator.h"

namespace emberline::metal_sim {

struct Manifest {
  bool checked = false;
  std::vector<KernelInfo> kernels;
  std::vector<ConstantInfo> constants;
};

// The name of the library's constant.
inline constexpr const char* kManifestSymbol = "metal_sim_manifest";

// One item a line, words separated by spaces.
std::string write_manifest(const Manifest& manifest);
// INVALID_ARGUMENT for text that write_manifest did not write.
Result<Manifest> read_manifest(std::string_view text);

// "uint" and so on.
const char* constant_type_name(ConstantType type);
// False for a type that function constants cannot have here.
bool parse_constant_type(std::string_view name, ConstantType& type);
// Bytes of a value.
std::size_t constant_bytes(ConstantType type);

}  // namespace emberline::metal_sim
