// The random numbers of neighbouring seeds and positions, and of one position's streams, have nothing to do
// with one another; and the Gumbel noise is right far out, where large vocabularies need it.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "sampling/gumbel_noise.h"
#include "sampling/random.h"

namespace emberline {
namespace {

constexpr double kQuantile = 6.1094;  // of the standard normal at 1 - 1e-9 / 2: false alarms on both sides

// Of n independent pairs it exceeds kQuantile / sqrt(n) once in 1e9 times (it is nearly normal with variance
// 1 / n).
double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  double sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum_a += a[i];
    sum_b += b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    ab += a[i] * b[i];
  }
  return (ab - sum_a * sum_b / n) / std::sqrt((aa - sum_a * sum_a / n) * (bb - sum_b * sum_b / n));
}

using Source = std::function<double(std::uint64_t seed, std::uint64_t position)>;

struct Neighbours {
  double correlation = 0;  // of the numbers
  double of_squares = 0;   // of their squares about the middle: dependence without a linear part
  double equal_bits = 0;   // share of the upper 32 bits that are equal
};

constexpr std::uint64_t kPairs = 200000;

// What `other` has to do with `one`, at the same seeds and positions.
Neighbours compare(const Source& one, const Source& other, bool along_seeds) {
  std::vector<double> a, b, square_a, square_b;
  std::uint64_t equal = 0;
  for (std::uint64_t i = 0; i < kPairs; ++i) {
    const std::uint64_t seed = along_seeds ? i : 7, position = along_seeds ? 7 : i;
    a.push_back(one(seed, position));
    b.push_back(other(seed, position));
    square_a.push_back((a.back() - 0.5) * (a.back() - 0.5));
    square_b.push_back((b.back() - 0.5) * (b.back() - 0.5));
    const auto bits = [](double u) { return static_cast<std::uint32_t>(u * 0x1p32); };
    equal += static_cast<std::uint64_t>(std::popcount(~(bits(a.back()) ^ bits(b.back()))));
  }
  return {correlation(a, b), correlation(square_a, square_b),
          static_cast<double>(equal) / (32.0 * static_cast<double>(kPairs))};
}

bool refused(const Neighbours& found) {
  const auto n = static_cast<double>(kPairs);
  return std::abs(found.correlation) > kQuantile / std::sqrt(n) ||
         std::abs(found.of_squares) > kQuantile / std::sqrt(n) ||
         std::abs(found.equal_bits - 0.5) > kQuantile * 0.5 / std::sqrt(32 * n);
}

double sample_stream(std::uint64_t seed, std::uint64_t position) {
  return random_uniform(seed, position, RandomStream::kSample);
}

TEST(RandomStreams, NeighbouringSeedsAndPositionsAreUncorrelated) {
  // Shifts by one, and of single bits further up: what a counter with few rounds would show.
  for (const std::uint64_t shift : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 16,
                                    std::uint64_t{1} << 32, std::uint64_t{1} << 63}) {
    const Source next_seed = [&](auto seed, auto position) { return sample_stream(seed + shift, position); };
    const Source next_position = [&](auto seed, auto position) {
      return sample_stream(seed, position + shift);
    };
    for (const bool along_seeds : {false, true}) {
      EXPECT_FALSE(refused(compare(sample_stream, next_seed, along_seeds))) << shift;
      EXPECT_FALSE(refused(compare(sample_stream, next_position, along_seeds))) << shift;
    }
  }
  const Source exchanged = [](auto seed, auto position) { return sample_stream(position, seed); };
  EXPECT_FALSE(refused(compare(sample_stream, exchanged, true)));
}

TEST(RandomStreams, StreamsOfOnePositionAreUncorrelated) {
  const RandomStream streams[] = {RandomStream::kSample, RandomStream::kGumbel, RandomStream::kDraft,
                                  RandomStream::kAccept, RandomStream::kResidual};
  for (const RandomStream a : streams) {
    for (const RandomStream b : streams) {
      const Source one = [a](auto seed, auto position) { return random_uniform(seed, position, a); };
      const Source other = [b](auto seed, auto position) { return random_uniform(seed, position, b); };
      EXPECT_EQ(refused(compare(one, other, false)), a == b) << "the same stream twice must be seen";
    }
  }
}

// What the test must see: a hundredth of the next seed's number in it, and generators that are worse.
TEST(RandomStreams, CorrelationsAreSeen) {
  const Source slightly = [](auto seed, auto position) {
    return 0.98 * sample_stream(seed + 1, position) + 0.02 * sample_stream(seed, position);
  };
  EXPECT_TRUE(refused(compare(sample_stream, slightly, true)));
  // One step of a linear congruential generator, whose seeds that differ by one are correlated.
  const Source linear = [](auto seed, auto position) {
    return static_cast<double>((seed * 6364136223846793005u + position * 1442695040888963407u) >> 11) *
           0x1p-53;
  };
  const Source linear_next = [&](auto seed, auto position) { return linear(seed + 1, position); };
  EXPECT_TRUE(refused(compare(linear, linear_next, true)));
  // The mirror image: squares about the middle are the same.
  const Source mirror = [](auto seed, auto position) { return 1 - sample_stream(seed, position); };
  EXPECT_TRUE(refused(compare(sample_stream, mirror, false)));
}

// The largest of n Gumbel draws is Gumbel as well, moved by log n: P(largest - log n <= x) = exp(-exp(-x)).
// So the share exp(-exp(-x)) is uniform, and lies outside [1e-9 / 2, 1 - 1e-9 / 2] once in 1e9 times.
double place_of_largest(double largest, double draws) {
  return std::exp(-std::exp(-(largest - std::log(draws))));
}
bool place_refused(double place) {
  return place < 0.5e-9 || place > 1 - 0.5e-9;
}

TEST(GumbelNoise, TheLargestOfAHundredMillionDrawsIsWhereTheoryPutsIt) {
  // Over the tokens of a vocabulary, at the positions of a text. The noise falls with the word, so the
  // largest is that of the smallest word.
  constexpr std::uint32_t kQuads = 40000, kPositions = 625;
  constexpr double kDraws = 4.0 * kQuads * kPositions;
  static_assert(kDraws == 1e8);
  std::uint32_t least_word = 0xFFFFFFFFu, least_at = 0, least_quad = 0;
  std::vector<std::uint32_t> least_of(kPositions, 0xFFFFFFFFu);
  for (std::uint32_t position = 0; position < kPositions; ++position) {
    for (std::uint32_t quad = 0; quad < kQuads; ++quad) {
      std::uint32_t c0 = position, c1 = 0, c2 = kGumbelStream, c3 = quad;
      philox4x32_10(c0, c1, c2, c3, 20261, 0);
      least_of[position] = std::min({least_of[position], c0, c1, c2, c3});
      if (least_of[position] < least_word) {
        least_word = least_of[position];
        least_at = position;
        least_quad = quad;
      }
    }
  }
  const double largest = gumbel_of_word(least_word);
  float noise[4];
  gumbel_noise_of_quad(20261, 0, least_at, least_quad, noise[0], noise[1], noise[2], noise[3]);
  EXPECT_EQ(largest, *std::max_element(noise, noise + 4)) << "the shipped noise has it there";
  EXPECT_FALSE(place_refused(place_of_largest(largest, kDraws))) << largest << " beside " << std::log(kDraws);
  EXPECT_GT(largest, 17.33) << "24 bits of a word reach no further than 24 log 2";

  // The largest of every position's vocabulary, too: their places are uniform, by Kolmogorov and Smirnov.
  std::vector<double> places;
  for (const std::uint32_t word : least_of)
    places.push_back(place_of_largest(gumbel_of_word(word), 4.0 * kQuads));
  std::sort(places.begin(), places.end());
  const auto n = static_cast<double>(places.size());
  const auto distance_from = [&](double moved) {
    double distance = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double place = std::pow(places[i], moved);
      distance = std::max({distance, std::abs(place - static_cast<double>(i) / n),
                           std::abs(place - static_cast<double>(i + 1) / n)});
    }
    return distance;
  };
  const double critical = std::sqrt(-std::log(1e-9 / 2) / (2 * n));
  EXPECT_LT(distance_from(1), critical);
  EXPECT_GT(distance_from(2), critical) << "noise that is log 2 lower must be seen";
}

// Controls: noise of 16 bits, whose largest is 11.8, and of a uniform number that was rounded to 1.
TEST(GumbelNoise, CutOffAndInfiniteTailsAreSeen) {
  EXPECT_TRUE(place_refused(place_of_largest(-std::log(-std::log1p(-0x1p-17)), 1e8)));
  EXPECT_TRUE(place_refused(place_of_largest(std::numeric_limits<double>::infinity(), 1e8)));
  EXPECT_FALSE(place_refused(place_of_largest(std::log(1e8), 1e8)));
}

}  // namespace
}  // namespace emberline
