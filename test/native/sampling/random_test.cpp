#include "sampling/random.h"

#include <gtest/gtest.h>

#include <set>

namespace emberline {
namespace {

using Block = std::array<std::uint32_t, 4>;

// The vectors that the authors of Philox publish with their library (philox4x32, 10 rounds).
TEST(Random, AgreesWithThePublishedVectors) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The numbers users see change if this does: a seed must give the same text in every version.
TEST(Random, UniformIsTheUpperBitsOfTheFirstTwoWords) {
  EXPECT_EQ(random_uniform(0, 0, RandomStream::kSample),
            static_cast<double>(0x6627e8d5e169c58dull >> 11) * 0x1p-53);
}

TEST(Random, UniformStaysInRangeAndDependsOnEveryPart) {
  std::set<double> values;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    values.insert(random_uniform(i, 7, RandomStream::kSample));
    values.insert(random_uniform(1ull << 60, i + 8, RandomStream::kSample));
    values.insert(random_uniform(1, (i + 1) << 40, RandomStream::kSample));
    values.insert(random_uniform((i + 1) << 40, 3, RandomStream::kSample));
  }
  EXPECT_EQ(values.size(), 4000u);
  EXPECT_GE(*values.begin(), 0.0);
  EXPECT_LT(*values.rbegin(), 1.0);
}

}  // namespace
}  // namespace emberline
