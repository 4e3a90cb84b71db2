// What the tests of rope, the KV cache and attention share: their suite, for each instruction set, and the
// shapes they go over.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "device/ops.h"
#include "device/paged_cache.h"

namespace emberline::testing {

// attention_test.cpp instantiates it for the tests of all files.
class AttentionOps : public ::testing::TestWithParam<std::string> {};

inline constexpr TestHeads kHeadShapes[] = {{9, 3, 64, 64},  {4, 4, 8, 8},    {6, 2, 20, 12},
                                            {2, 1, 128, 64}, {14, 2, 16, 16}, {70, 1, 8, 8}};

inline constexpr std::uint32_t kCacheTypes[] = {kKvF16, kKvQ8_0};

// Windows of less than a chunk and of several, that begin in, on and between the edges of chunks.
inline constexpr std::uint32_t kWindows[] = {1, 5, 64, 127, 128, 129, 200, 299};

inline std::string name(const TestHeads& heads) {
  return std::to_string(heads.query_heads) + " heads of " + std::to_string(heads.width);
}

}  // namespace emberline::testing
