// Every top-p algorithm against the nucleus written down: the same tokens, exactly, for every shape of
// logits.
#include "sampling/top_p/top_p.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "sampling/infinity.h"
#include "sampling/top_p/cut_to_mass.h"
#include "sampling/top_p/filter.h"
#include "sampling/top_p/select_by_mass.h"

namespace emberline {
namespace {

using Random = std::mt19937_64;
using Logits = std::vector<float>;

float normal(Random& random, float deviation) {
  return std::normal_distribution<float>(0, deviation)(random);
}

struct Shape {
  const char* name;
  std::function<void(Random&, Logits&)> fill;
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"normal",
       [](Random& r, Logits& z) {
         const float spread = std::ldexp(1.0f, static_cast<int>(r() % 6) - 2);
         for (float& v : z) v = normal(r, spread);
       }},
      {"like a language model",
       [](Random& r, Logits& z) {
         for (float& v : z) v = normal(r, 3);
         for (int i = 0; i < 4; ++i) z[r() % z.size()] += 9;
       }},
      {"flat",
       [](Random& r, Logits& z) {
         for (float& v : z) v = normal(r, 0.01f);
       }},
      {"all equal", [](Random&, Logits& z) { std::fill(z.begin(), z.end(), -2.5f); }},
      {"few distinct values",
       [](Random& r, Logits& z) {
         const auto values = 1 + r() % 5;
         for (float& v : z) v = static_cast<float>(r() % values);
       }},
      {"zeros of both signs",
       [](Random& r, Logits& z) {
         for (float& v : z) v = r() % 2 ? 0.0f : -0.0f;
       }},
      {"one-hot",
       [](Random& r, Logits& z) {
         std::fill(z.begin(), z.end(), -kInf);
         z[r() % z.size()] = 3;
       }},
      {"one far above the rest",
       [](Random& r, Logits& z) {
         for (float& v : z) v = normal(r, 1) - 1000;
         z[r() % z.size()] = 1000;
       }},
      {"mostly masked",
       [](Random& r, Logits& z) {
         for (float& v : z) v = r() % 8 ? -kInf : normal(r, 2);
         z[r() % z.size()] = 0;
       }},
      {"denormals",
       [](Random& r, Logits& z) {
         for (float& v : z) v = static_cast<float>(r() % 1000) * 1e-42f;
       }},
      {"steps of a binary order",
       [](Random& r, Logits& z) {
         for (float& v : z) v = -0.69314718f * static_cast<float>(r() % 60);
       }},
      {"neighbouring floats",
       [](Random& r, Logits& z) {
         for (float& v : z) v = bits_float(float_bits(7.0f) + static_cast<std::uint32_t>(r() % 3));
       }},
      {"ascending",
       [](Random&, Logits& z) {
         for (std::size_t i = 0; i < z.size(); ++i) z[i] = static_cast<float>(i) * 1e-2f;
       }},
      {"descending",
       [](Random&, Logits& z) {
         for (std::size_t i = 0; i < z.size(); ++i) z[i] = static_cast<float>(i) * -1e-2f;
       }},
      {"organ pipe",
       [](Random&, Logits& z) {
         for (std::size_t i = 0; i < z.size(); ++i) {
           z[i] = static_cast<float>(std::min(i, z.size() - 1 - i)) * 1e-2f;
         }
       }},
      {"the ends of float32",
       [](Random& r, Logits& z) {
         const float values[] = {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest(),
                                 std::numeric_limits<float>::denorm_min(), -1e-40f, 0};
         for (float& v : z) v = values[r() % 5];
       }},
  };
  return all;
}

// A problem with the memory it refers to, and its nucleus written down.
struct Case {
  Logits logits;
  std::vector<float> block_largest;
  TopPProblem problem;
  std::vector<std::uint64_t> nucleus;  // rank keys in order
  std::uint64_t mass = 0;

  Case(const Logits& z, float temperature, float top_p)
      : logits(z),
        block_largest(logit_blocks(z.size())),
        problem{scan_logits(logits, block_largest.data()).value(), {}, 0, 0} {
    problem.law = {problem.logits.largest, mass_scale(temperature)};
    std::vector<std::uint64_t> ranked;
    for (std::uint32_t id = 0; id < logits.size(); ++id) {
      ranked.push_back(rank_key(logits[id], id));
      problem.total += problem.law.mass(logits[id]);
    }
    problem.wanted = top_p < 1 ? top_p_mass(problem.total, top_p) : problem.total;
    std::sort(ranked.begin(), ranked.end());
    while (mass < problem.wanted) {
      nucleus.push_back(ranked[nucleus.size()]);
      mass += problem.law.mass(nucleus.back());
    }
  }
};

::testing::AssertionResult is_nucleus(const Case& expected, const Nucleus& nucleus, NucleusSpace& space) {
  if (!nucleus.ranked) std::sort(space.keys(), space.keys() + nucleus.count);
  if (nucleus.count == expected.nucleus.size() && nucleus.mass == expected.mass &&
      nucleus.last == expected.nucleus.back() &&
      std::equal(expected.nucleus.begin(), expected.nucleus.end(), space.keys())) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << nucleus.count << " tokens with the mass " << nucleus.mass
                                       << ", not " << expected.nucleus.size() << " with " << expected.mass;
}

float pick(Random& random, std::initializer_list<float> values) {
  return values.begin()[random() % values.size()];
}

TEST(TopP, EveryAlgorithmFindsTheSameNucleus) {
  constexpr int kRounds = 100000;
  Random random(1);
  NucleusSpace space;
  space.reserve(3000);
  for (int round = 0; round < kRounds; ++round) {
    const Shape& shape = shapes()[random() % shapes().size()];
    Logits logits(1 + random() % (round % 2000 == 0 ? 2500 : round % 20 == 0 ? 200 : 24));
    shape.fill(random, logits);
    const float temperature = pick(random, {1, 1, 0.2f, 0.7f, 3, 1e-30f, 1e30f});
    const float top_p = pick(random, {0, 1, 1e-9f, 0.1f, 0.5f, 0.8f, 0.95f, 0.95f, 0.999f, 0.99999994f});
    const Case expected(logits, temperature, top_p);
    for (const NamedTopP& algorithm : top_p_algorithms()) {
      ASSERT_TRUE(is_nucleus(expected, algorithm.find(expected.problem, space), space))
          << algorithm.name << ", round " << round << ", " << shape.name << ", n " << logits.size() << ", T "
          << temperature << ", p " << top_p;
    }
  }
}

TEST(TopP, EveryAlgorithmFindsTheSameNucleusOfAWholeVocabulary) {
  constexpr std::size_t kVocabulary = 151936;
  // The time of these is a multiple of the nucleus: they are left out of large ones.
  constexpr std::size_t kMostToScan = 100;
  Random random(2);
  NucleusSpace space;
  space.reserve(kVocabulary);
  for (const Shape& shape : shapes()) {
    Logits logits(kVocabulary);
    shape.fill(random, logits);
    for (const float top_p : {0.0f, 0.9f, 1.0f}) {
      if (top_p != 0.9f && &shape > &shapes()[2]) continue;
      const Case expected(logits, 0.7f, top_p);
      for (const NamedTopP& algorithm : top_p_algorithms()) {
        const std::string_view name = algorithm.name;
        if ((name == "repeatedmax" || name == "filterscan") && expected.nucleus.size() > kMostToScan)
          continue;
        ASSERT_TRUE(is_nucleus(expected, algorithm.find(expected.problem, space), space))
            << name << ", " << shape.name << ", p " << top_p;
      }
    }
  }
}

// The chooser guesses where the nucleus ends, from blocks and samples of the vocabulary; shapes that lie in
// blocks by chance, that are sorted, and a nucleus whose tokens all hide in one block or lie where no sample
// is taken.
TEST(TopP, TheChoosersGuessIsRightOrTakenBack) {
  Random random(4);
  NucleusSpace space;
  space.reserve(20000);
  std::vector<Shape> all = shapes();
  all.push_back({"in one block", [](Random& r, Logits& z) {
                   for (float& v : z) v = normal(r, 1) - 9;
                   for (std::size_t i = 0; i < std::min<std::size_t>(z.size(), 60); ++i) z[i] = normal(r, 1);
                 }});
  all.push_back({"between samples", [](Random& r, Logits& z) {
                   for (std::size_t i = 0; i < z.size(); ++i) z[i] = i % 32 == 0 ? -9 : normal(r, 1);
                 }});
  all.push_back({"only samples", [](Random& r, Logits& z) {
                   for (std::size_t i = 0; i < z.size(); ++i) z[i] = i % 32 != 0 ? -9 : normal(r, 1);
                 }});
  for (int round = 0; round < 400; ++round) {
    const Shape& shape = all[static_cast<std::size_t>(round) % all.size()];
    Logits logits(1024 + random() % 19000);
    shape.fill(random, logits);
    const float temperature = pick(random, {1, 0.5f, 0.2f, 2}),
                top_p = pick(random, {0.5f, 0.9f, 0.95f, 0.99f, 1});
    const Case expected(logits, temperature, top_p);
    ASSERT_TRUE(is_nucleus(expected, top_p_algorithms().back().find(expected.problem, space), space))
        << shape.name << ", n " << logits.size() << ", T " << temperature << ", p " << top_p;
  }
}

// The bound is the tightest for what it knows: with equal tokens behind the first, they are all needed or
// none is.
TEST(TopP, FilterKeepsTheNucleusAndDropsWhatCannotBeInIt) {
  EXPECT_EQ(least_mass_in_nucleus(1, 10, 4), 1u);
  EXPECT_EQ(least_mass_in_nucleus(4, 10, 10), 1u);
  EXPECT_EQ(least_mass_in_nucleus(4, 10, 4), 3u);
  EXPECT_EQ(least_mass_in_nucleus(4, 10, 3), 3u);
  EXPECT_EQ(least_mass_in_nucleus(4, 9, 3), 3u);
  // 5, 2, 2, 2 of 11: 5 are reached by the first, more take a second, whose mass is the bound for 6.
  EXPECT_EQ(least_mass_in_nucleus(4, 11, 6), 2u);

  Random random(3);
  NucleusSpace space;
  space.reserve(500);
  std::size_t left = 0, all = 0;
  for (int round = 0; round < 300; ++round) {
    Logits logits(500);
    for (float& z : logits) z = normal(random, 3);
    const Case expected(logits, 0.7f, 0.9f);
    const std::size_t count = filter(expected.problem, space);
    std::sort(space.keys(), space.keys() + count);
    ASSERT_GE(count, expected.nucleus.size());
    EXPECT_TRUE(std::equal(expected.nucleus.begin(), expected.nucleus.end(), space.keys()));
    left += count;
    all += logits.size();
  }
  EXPECT_LT(left, all / 3);
}

// Of tokens that min-p or top-k have cut, top-p may want more than is left.
TEST(TopP, CutKeepsEverythingWhereThereIsLessThanWanted) {
  NucleusSpace space;
  space.reserve(1000);
  const MassLaw law{0, mass_scale(1)};
  for (const std::size_t count : {1u, 3u, 1000u}) {
    std::uint64_t total = 0;
    for (std::uint32_t id = 0; id < count; ++id) {
      space.keys()[id] = rank_key(static_cast<float>(id) * -0.001f, id);
      total += law.mass(space.keys()[id]);
    }
    for (const std::uint64_t wanted : {total, total + 1, std::numeric_limits<std::uint64_t>::max()}) {
      const Nucleus nucleus = cut_to_mass(best_sampling_kernels(), space, count, law, wanted);
      EXPECT_EQ(nucleus.count, count);
      EXPECT_EQ(nucleus.mass, total);
      EXPECT_EQ(token_of(nucleus.last), count - 1);
    }
  }
}

// Where a quickselect by mass may not end: equal masses, sorted input and every place of the boundary.
TEST(TopP, QuickselectEndsAtEveryBoundary) {
  for (const int order : {1, -1, 0}) {
    for (std::size_t count = 1; count < 200; count += 7) {
      for (std::uint64_t wanted = 1; wanted <= 2 * count; ++wanted) {
        std::vector<std::uint64_t> keys, masses(count, 2), other_keys(count), other_masses(count);
        for (std::size_t i = 0; i < count; ++i) {
          keys.push_back(order > 0 ? i : order < 0 ? count - 1 - i : i * 101 % count);
        }
        const Nucleus nucleus =
            select_by_mass(keys.data(), masses.data(), count, wanted, other_keys.data(), other_masses.data());
        ASSERT_EQ(nucleus.count, (wanted + 1) / 2);
        ASSERT_EQ(nucleus.mass, 2 * nucleus.count);
        ASSERT_EQ(nucleus.last, nucleus.count - 1);
        std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(nucleus.count));
        for (std::size_t i = 0; i < nucleus.count; ++i) ASSERT_EQ(keys[i], i);
      }
    }
  }
}

}  // namespace
}  // namespace emberline
