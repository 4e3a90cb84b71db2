#include "decode/logit_mask.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace emberline::testing {
namespace {

TEST(LogitMask, KeepsWhatEitherSetHas) {
  std::mt19937_64 random(7);
  for (const std::size_t vocabulary : {1u, 63u, 64u, 65u, 200u, 1000u}) {
    std::vector<std::uint64_t> allowed((vocabulary + 63) / 64), besides(allowed.size());
    for (std::size_t word = 0; word < allowed.size(); ++word) {
      // Whole words of ones and of zeros among others.
      allowed[word] = word % 3 == 0 ? ~std::uint64_t{0} : word % 3 == 1 ? 0 : random();
      besides[word] = word % 2 == 0 ? 0 : random() & random();
    }
    for (const bool with : {false, true}) {
      std::vector<float> logits(vocabulary);
      for (float& logit : logits) logit = static_cast<float>(random() % 1000);
      const std::vector<float> before = logits;
      keep_allowed(allowed, with ? std::span<const std::uint64_t>(besides) : std::span<const std::uint64_t>(),
                   logits);
      for (std::size_t token = 0; token < vocabulary; ++token) {
        const std::uint64_t bits = allowed[token / 64] | (with ? besides[token / 64] : 0);
        const bool kept = (bits >> (token % 64)) & 1;
        EXPECT_EQ(logits[token], kept ? before[token] : -std::numeric_limits<float>::infinity()) << token;
      }
    }
  }
}

TEST(LogitMask, TakesWhatIsMissingForForbidden) {
  std::vector<float> logits(130, 1.0f);
  const std::vector<std::uint64_t> allowed = {~std::uint64_t{0}};
  keep_allowed(allowed, {}, logits);
  EXPECT_EQ(logits[63], 1.0f);
  EXPECT_TRUE(std::isinf(logits[64]));
  EXPECT_TRUE(std::isinf(logits[129]));
}

}  // namespace
}  // namespace emberline::testing
