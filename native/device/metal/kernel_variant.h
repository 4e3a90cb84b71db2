// A kernel with values for its function constants: what one pipeline is compiled from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace emberline::metal {

struct FunctionConstant {
  enum class Kind : std::uint8_t { kBool, kUint };
  std::uint32_t index;
  Kind kind;
  std::uint32_t value;  // 0 or 1 for kBool
};

struct KernelVariant {
  std::string function;  // "mat_vec_q4_0"
  std::vector<FunctionConstant> constants;

  // The same for the same variant alone: "mat_vec_q4_0 0:1 2:4".
  std::string key() const {
    std::string key = function;
    for (const FunctionConstant& c : constants)
      key += ' ' + std::to_string(c.index) + ':' + std::to_string(c.value);
    return key;
  }
};

}  // namespace emberline::metal
