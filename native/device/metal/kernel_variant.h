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

// So many threads a threadgroup can have whatever registers a kernel takes; with more, the compiler has to
// know.
inline constexpr std::uint32_t kThreadsOfAnyKernel = 256;

struct KernelVariant {
  std::string function;  // "mat_vec_q4_0"
  std::vector<FunctionConstant> constants;
  std::uint32_t threads = 0;  // that a threadgroup must be able to have; 0: as many as registers allow

  // The same for the same variant alone: "attention_decode 4:64 5:3 x512".
  std::string key() const {
    std::string key = function;
    for (const FunctionConstant& c : constants)
      key += ' ' + std::to_string(c.index) + ':' + std::to_string(c.value);
    if (threads != 0) key += " x" + std::to_string(threads);
    return key;
  }
};

}  // namespace emberline::metal
