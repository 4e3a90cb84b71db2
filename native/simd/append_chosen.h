// How chosen lanes are packed together where the instruction set has nothing for it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emberline {
namespace {

// Without a branch: what is not chosen is written over by what comes next.
template <std::size_t kLanes>
inline std::size_t append_chosen(const std::uint64_t (&lanes)[kLanes], std::uint32_t chosen,
                                 std::uint64_t* out) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < kLanes; ++i) {
    out[count] = lanes[i];
    count += (chosen >> i) & 1u;
  }
  return count;
}

}  // namespace
}  // namespace emberline
