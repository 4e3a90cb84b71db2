// The sampler kernel's survivors against those of the law, to which the CPU's sampler keeps as well
// (test/native/sampling/sampler_test.cpp): exactly, on logits made to trip it.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

#include "logits.h"
#include "sampler_run.h"
#include "sampling/exact_law.h"
#include "sampling/gumbel_noise.h"
#include "sampling/softmax_mass.h"

namespace emberline::metal_sim {
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
      {"like a language model",
       [](Random& r, Logits& z) {
         for (float& v : z) v = normal(r, 3.0f);
         z[r() % z.size()] += 12;
       }},
      {"flat",
       [](Random& r, Logits& z) {
         for (float& v : z) v = normal(r, 0.01f);
       }},
      {"all equal", [](Random&, Logits& z) { std::fill(z.begin(), z.end(), 1.5f); }},
      {"neighbouring floats",
       [](Random& r, Logits& z) {
         for (float& v : z) v = bits_float(float_bits(7.0f) + static_cast<std::uint32_t>(r() % 3));
       }},
      {"few distinct values",
       [](Random& r, Logits& z) {
         for (float& v : z) v = static_cast<float>(r() % 4);
       }},
      {"steps of a binary order",
       [](Random& r, Logits& z) {
         for (float& v : z) v = -0.69314718f * static_cast<float>(r() % 60);
       }},
      {"zeros of both signs",
       [](Random& r, Logits& z) {
         for (float& v : z) v = r() % 2 ? 0.0f : -0.0f;
       }},
      {"half masked",
       [](Random& r, Logits& z) {
         for (float& v : z) v = r() % 2 ? -kInf : normal(r, 2.0f);
         z[r() % z.size()] = 0;
       }},
      {"all but one masked",
       [](Random& r, Logits& z) {
         std::fill(z.begin(), z.end(), -kInf);
         z[r() % z.size()] = normal(r, 5.0f);
       }},
      {"one far above the rest",
       [](Random& r, Logits& z) {
         for (float& v : z) v = normal(r, 1.0f) - 1000;
         z[r() % z.size()] = 1000;
       }},
      {"the k-th far below the first",
       [](Random& r, Logits& z) {
         for (float& v : z) v = -40 - static_cast<float>(r() % 8);
         z[r() % z.size()] = 0;
       }},
      {"the ends of float32",
       [](Random& r, Logits& z) {
         const float values[] = {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest(),
                                 std::numeric_limits<float>::denorm_min(), -1e-40f, 0};
         for (float& v : z) v = values[r() % 5];
       }},
      {"denormal differences",
       [](Random& r, Logits& z) {
         for (float& v : z) v = static_cast<float>(r() % 1000) * 1e-42f;
       }},
      {"ascending",
       [](Random&, Logits& z) {
         for (std::size_t i = 0; i < z.size(); ++i) z[i] = static_cast<float>(i) * 1e-3f;
       }},
  };
  return all;
}

SamplingParams random_params(Random& random, std::size_t vocabulary) {
  const auto pick = [&](auto values) { return values[random() % values.size()]; };
  const auto v = static_cast<std::int32_t>(vocabulary);
  SamplingParams params;
  params.temperature =
      pick(std::vector{0.05f, 0.2f, 0.7f, 1.0f, 1.0f, 1.7f, 5.0f, 1e-30f, 1e-45f, 1e30f, 3e38f});
  params.top_k = pick(
      std::vector{0, 0, -3, 1, 2, 7, 40, v / 2, v - 1, v, v + 1, std::numeric_limits<std::int32_t>::max()});
  params.top_p =
      pick(std::vector{1.0f, 1.0f, 2.0f, 0.0f, -1.0f, 1e-9f, 0.1f, 0.5f, 0.8f, 0.95f, 0.999f, 0.99999994f});
  params.min_p = pick(std::vector{0.0f, 0.0f, -1.0f, 1e-30f, 0.02f, 0.1f, 0.5f, 1.0f, 1.5f});
  params.repeat_penalty = pick(std::vector{1.0f, 1.0f, 1.1f, 1.3f, 0.7f, 1e30f, 1e-30f});
  params.penalty_window = pick(std::vector{64u, 64u, 0u, 1u, 5u, 1000u});
  params.seed = random();
  return params;
}

// The largest penalised logit, as the law has it.
Logits penalised(const SamplerRun& run) {
  Logits z = run.logits;
  for (std::uint32_t i = 0; i < std::min(run.params.penalty_window, run.position + 1); ++i) {
    const std::uint32_t token = run.tokens[run.position - i];
    if (token < run.vocabulary) z[token] = penalised_logit(run.logits[token], run.params.repeat_penalty);
  }
  return z;
}

// The scores as gumbel.h defines them, from the law's survivors and noise.
Logits expected_scores(const SamplerRun& run) {
  const Logits z = run.params.repeat_penalty != 1.0f ? penalised(run) : run.logits;
  if (run.params.greedy()) return z;
  const float largest = *std::max_element(z.begin(), z.end());
  const float inverse = 1.0f / effective_temperature(run.params.temperature);
  const std::span<const std::uint32_t> history(run.tokens.data(), run.position + 1);
  std::vector<bool> kept(z.size());
  const ExactLaw law = exact_law(run.logits, history, run.params);
  for (const std::uint32_t token : law.tokens) kept[token] = true;
  Logits scores(z.size(), -kInf);
  for (std::uint32_t id = 0; id < z.size(); ++id) {
    if (kept[id] && z[id] != -kInf) {
      scores[id] = std::fma(-(largest - z[id]), inverse, gumbel_noise(run.params.seed, run.position + 1, id));
    }
  }
  return scores;
}

void expect_same(SamplerRun& run) {
  run.run();
  const Logits expected = expected_scores(run);
  for (std::uint32_t id = 0; id < run.vocabulary; ++id) {
    ASSERT_EQ(std::isinf(run.scores[id]), std::isinf(expected[id])) << "survivor " << id;
    ASSERT_EQ(run.scores[id], expected[id]) << "score of " << id;
  }
}

void expect_same_on_random_logits(std::uint64_t seed, int rounds, std::vector<std::size_t> sizes,
                                  bool checked) {
  Random random(seed);
  for (int round = 0; round < rounds; ++round) {
    const Shape& shape = shapes()[random() % shapes().size()];
    Logits logits(sizes[random() % sizes.size()]);
    shape.fill(random, logits);
    SamplerRun run(logits, random_params(random, logits.size()));
    run.checked = checked;
    run.threads = std::vector{32u, 64u, 96u, 256u}[random() % 4];
    run.tokens.resize(1 + random() % 100);
    for (auto& token : run.tokens) token = static_cast<std::uint32_t>(random() % (logits.size() + 2));
    run.position = static_cast<std::uint32_t>(run.tokens.size() - 1 -
                                              random() % std::min<std::size_t>(3, run.tokens.size()));
    SCOPED_TRACE(::testing::Message()
                 << "round " << round << ", " << shape.name << ", " << logits.size() << " logits, T "
                 << run.params.temperature << ", k " << run.params.top_k << ", p " << run.params.top_p
                 << ", min-p " << run.params.min_p << ", penalty " << run.params.repeat_penalty << ", window "
                 << run.params.penalty_window);
    expect_same(run);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(SamplerSurvivors, AreThoseOfTheCpuOnAThousandAdversarialRows) {
  expect_same_on_random_logits(1, 1000, {1, 2, 3, 17, 64, 65, 300, 1023, 2000, 5003}, false);
}

TEST(SamplerSurvivors, AreThoseOfTheCpuWithEveryAccessChecked) {
  expect_same_on_random_logits(2, 60, {1, 3, 65, 1500}, true);
}

TEST(SamplerSurvivors, AreThoseOfTheCpuOnWholeVocabularies) {
  Random random(3);
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    Logits logits(49152);
    shape.fill(random, logits);
    for (const SamplingParams& params :
         {SamplingParams{.temperature = 0.8f, .top_k = 40, .top_p = 0.95f},
          SamplingParams{.temperature = 1.0f, .top_p = 0.9f, .min_p = 0.001f}}) {
      SamplerRun run(logits, params);
      run.checked = false;
      expect_same(run);
    }
  }
}

TEST(SamplerSurvivors, DoNotDependOnTheOrderOfThreads) {
  Random random(4);
  for (const std::size_t shape : {0u, 1u, 4u}) {
    Logits logits(3001);
    shapes()[shape].fill(random, logits);
    SamplerRun run(logits, {.temperature = 0.9f, .top_k = 1700, .top_p = 0.6f, .repeat_penalty = 1.2f});
    run.tokens = {5, 9, 5, 3000, 5};
    run.position = 4;
    run.threads = 256;
    const std::vector<float> expected = run.run().scores;
    for (const Order& order : all_orders()) EXPECT_EQ(run.run(order).scores, expected);
  }
}

// The published example on which the orders of the stages differ, and mass over the whole vocabulary.
TEST(SamplerSurvivors, FollowTheOrderOfTheStages) {
  using Tokens = std::vector<std::uint32_t>;
  EXPECT_EQ(SamplerRun({3, 2, 1}, {.temperature = 0.5f, .top_p = 0.8f}).run().survivors(), (Tokens{0}));
  EXPECT_EQ(SamplerRun({3, 2, 1}, {.temperature = 1.0f, .top_p = 0.8f}).run().survivors(), (Tokens{0, 1}));
  const Logits equal(4, 2.0f);
  EXPECT_EQ(SamplerRun(equal, {.temperature = 1, .top_k = 2, .top_p = 0.5f}).run().survivors(),
            (Tokens{0, 1}));
  EXPECT_EQ(SamplerRun(equal, {.temperature = 1, .top_k = 2, .top_p = 0.25f}).run().survivors(), (Tokens{0}));
  const Logits ties = {1, 5, 1, 5, 1, 5};
  EXPECT_EQ(SamplerRun(ties, {.temperature = 1, .top_k = 4}).run().survivors(), (Tokens{0, 1, 3, 5}));
  EXPECT_EQ(SamplerRun(ties, {.temperature = 1, .min_p = 1.5f}).run().survivors(), (Tokens{1}));
}

}  // namespace
}  // namespace emberline::metal_sim
