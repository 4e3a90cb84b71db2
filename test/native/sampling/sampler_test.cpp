// The sampler against the law written out slowly, and the cases the law singles out.
#include "sampling/sampler.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "sampling/exact_law.h"
#include "sampling/infinity.h"
#include "sampling/oracle.h"
#include "sampling/random.h"

namespace emberline {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
using Tokens = std::vector<std::uint32_t>;
using Logits = std::vector<float>;

// How far the integer masses may be from the oracle's probabilities, and so how close a comparison may be
// that goes either way: a mass is up to 2^-22 * d / T of itself off (softmax_mass.h), and d / T is below 8 on
// the average over any distribution of 2000 tokens.
constexpr long double kAmbiguous = 2e-6L;

Distribution distribution_of(const Logits& logits, const SamplingParams& params, const Tokens& history = {}) {
  Distribution law;
  const Status status = Sampler().distribution(logits, history, params, law);
  EXPECT_TRUE(status.ok()) << status.message();
  return law;
}

Tokens kept_of(const Logits& logits, const SamplingParams& params) {
  return distribution_of(logits, params).tokens;
}

// The survivors as the exact law has them, without those that have no mass; by id where no filter is on.
Distribution expected_law(const Logits& logits, const Tokens& history, const SamplingParams& params) {
  const ExactLaw exact = exact_law(logits, history, params);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> tokens;
  for (std::size_t i = 0; i < exact.tokens.size() && exact.masses[i] > 0; ++i) {
    tokens.emplace_back(exact.tokens[i], exact.masses[i]);
  }
  const bool top_k = params.top_k > 0 && static_cast<std::size_t>(params.top_k) < logits.size();
  if (!top_k && params.top_p >= 1 && params.min_p <= 0) std::sort(tokens.begin(), tokens.end());
  Distribution law;
  for (const auto& [token, mass] : tokens) {
    law.tokens.push_back(token);
    law.masses.push_back(mass);
    law.total += mass;
  }
  return law;
}

ErrorCode code_of(const Logits& logits, const SamplingParams& params = {}) {
  return Sampler().sample(logits, {}, params, 0).code();
}

// Takes out of the oracle's law what `given` leaves out for being too improbable for a unit of mass, 2^-43.
void drop_without_mass(oracle::Distribution& law, const Distribution& given) {
  const long double largest = *std::max_element(law.prob.begin(), law.prob.end());
  const std::set<std::uint32_t> tokens(given.tokens.begin(), given.tokens.end());
  oracle::Distribution left;
  left.margin = law.margin;
  for (std::size_t i = 0; i < law.kept.size(); ++i) {
    if (!tokens.contains(law.kept[i]) && law.prob[i] < largest * 0x1.01p-43L) continue;
    left.kept.push_back(law.kept[i]);
    left.prob.push_back(law.prob[i]);
  }
  law = left;
}

struct LogitShape {
  const char* name;
  std::function<void(std::mt19937_64&, Logits&)> fill;
};

float normal_logit(std::mt19937_64& random, float deviation) {
  return std::normal_distribution<float>(0, deviation)(random);
}

const std::vector<LogitShape>& logit_shapes() {
  static const std::vector<LogitShape> all = {
      {"like a language model",
       [](auto& r, auto& z) {
         for (float& v : z) v = normal_logit(r, 3.0f);
         z[r() % z.size()] += 12;
       }},
      {"flat",
       [](auto& r, auto& z) {
         for (float& v : z) v = normal_logit(r, 0.01f);
       }},
      {"all equal", [](auto&, auto& z) { std::fill(z.begin(), z.end(), 1.5f); }},
      {"few distinct values",
       [](auto& r, auto& z) {
         for (float& v : z) v = static_cast<float>(r() % 4);
       }},
      {"zeros of both signs",
       [](auto& r, auto& z) {
         for (float& v : z) v = r() % 2 ? 0.0f : -0.0f;
       }},
      {"half masked",
       [](auto& r, auto& z) {
         for (float& v : z) v = r() % 2 ? -kInf : normal_logit(r, 2.0f);
         z[r() % z.size()] = 0;
       }},
      {"all but one masked",
       [](auto& r, auto& z) {
         std::fill(z.begin(), z.end(), -kInf);
         z[r() % z.size()] = normal_logit(r, 5.0f);
       }},
      {"one far above the rest",
       [](auto& r, auto& z) {
         for (float& v : z) v = normal_logit(r, 1.0f) - 1000;
         z[r() % z.size()] = 1000;
       }},
      {"the ends of float32",
       [](auto& r, auto& z) {
         const float values[] = {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest(),
                                 std::numeric_limits<float>::denorm_min(), -1e-40f, 0};
         for (float& v : z) v = values[r() % 5];
       }},
      {"denormal differences",
       [](auto& r, auto& z) {
         for (float& v : z) v = static_cast<float>(r() % 1000) * 1e-42f;
       }},
  };
  return all;
}

SamplingParams random_params(std::mt19937_64& random, std::size_t vocabulary) {
  const auto pick = [&](auto values) { return values[random() % values.size()]; };
  SamplingParams params;
  params.temperature =
      pick(std::vector{0.05f, 0.2f, 0.7f, 1.0f, 1.0f, 1.7f, 5.0f, 0.0f, -1.0f, 1e-30f, 1e30f});
  const auto v = static_cast<std::int32_t>(vocabulary);
  params.top_k = pick(std::vector{0, 0, -3, 1, 2, 7, 40, v / 2, v - 1, v, v + 1});
  params.top_p = pick(std::vector{1.0f, 1.0f, 2.0f, 0.0f, -1.0f, 0.1f, 0.5f, 0.8f, 0.95f, 0.999f});
  params.min_p = pick(std::vector{0.0f, 0.0f, -1.0f, 0.02f, 0.1f, 0.5f, 1.0f, 1.5f});
  params.repeat_penalty = pick(std::vector{1.0f, 1.0f, 1.1f, 1.3f, 0.7f, 1e30f, 1e-30f});
  params.penalty_window = pick(std::vector{64u, 64u, 0u, 1u, 5u, 1000u});
  params.seed = random();
  return params;
}

TEST(Sampler, KeepsAndDrawsWhatTheLawSays) {
  std::mt19937_64 random(1);
  Sampler sampler;  // one for all: state left by one call must not reach the next
  int compared = 0, ambiguous = 0;
  for (int round = 0; round < 6000; ++round) {
    const LogitShape& shape = logit_shapes()[random() % logit_shapes().size()];
    const std::size_t sizes[] = {1, 2, 3, 17, 64, 65, 300, 2000};
    Logits logits(sizes[random() % 8]);
    shape.fill(random, logits);
    const SamplingParams params = random_params(random, logits.size());
    Tokens history(random() % 100);
    for (auto& token : history) token = static_cast<std::uint32_t>(random() % (logits.size() + 2));
    const std::uint64_t position = random();
    SCOPED_TRACE(::testing::Message()
                 << "round " << round << ", " << shape.name << ", T " << params.temperature << ", k "
                 << params.top_k << ", p " << params.top_p << ", min-p " << params.min_p);

    oracle::Distribution law = oracle::distribution(logits, history, params);
    const auto expected =
        params.greedy() ? law.kept[0]
                        : oracle::invert(law, random_uniform(params.seed, position, RandomStream::kSample));
    Distribution given;
    ASSERT_TRUE(sampler.distribution(logits, history, params, given).ok());
    if (!params.greedy()) {
      const Distribution exact = expected_law(logits, history, params);
      ASSERT_EQ(given.tokens, exact.tokens);
      ASSERT_EQ(given.masses, exact.masses);
      ASSERT_EQ(given.total, exact.total);
    }
    const auto drawn = sampler.sample(logits, history, params, position);
    ASSERT_TRUE(drawn.ok()) << drawn.error().message();
    ASSERT_EQ(drawn.value().token,
              draw_from(given, random_uniform(params.seed, position, RandomStream::kSample)));

    const double log_prob = static_cast<double>(oracle::log_softmax(logits, drawn.value().token));
    EXPECT_NEAR(drawn.value().log_prob, log_prob, 1e-6 * std::max(1.0, std::abs(log_prob)));
    if (law.margin < kAmbiguous) {
      ++ambiguous;
      continue;
    }
    ++compared;
    drop_without_mass(law, given);
    EXPECT_EQ(given.tokens, law.kept);
    ASSERT_EQ(drawn.value().token, expected);
    const auto rank = std::find(law.kept.begin(), law.kept.end(), expected) - law.kept.begin();
    const double prob = static_cast<double>(law.prob[rank]);
    EXPECT_NEAR(drawn.value().prob, prob, 1e-5 * prob + 1e-12);
  }
  EXPECT_GT(compared, 5000) << ambiguous << " were too close to call";
}

TEST(Sampler, AgreesWithTheLawOnAWholeVocabulary) {
  std::mt19937_64 random(2);
  Sampler sampler;
  int compared = 0;
  for (const std::size_t vocabulary : {49152u, 151936u}) {
    for (int round = 0; round < 6; ++round) {
      Logits logits(vocabulary);
      logit_shapes()[round % 3].fill(random, logits);
      SamplingParams params = {.temperature = 0.8f, .top_p = 0.95f, .seed = random()};
      if (round % 2) params.top_p = 1, params.min_p = 0.01f;
      oracle::Distribution law = oracle::distribution(logits, {}, params);
      const auto expected = oracle::invert(law, random_uniform(params.seed, 9, RandomStream::kSample));
      const auto drawn = sampler.sample(logits, {}, params, 9);
      ASSERT_TRUE(drawn.ok());
      Distribution given;
      ASSERT_TRUE(sampler.distribution(logits, {}, params, given).ok());
      const Distribution exact = expected_law(logits, {}, params);
      EXPECT_EQ(given.tokens, exact.tokens);
      EXPECT_EQ(given.masses, exact.masses);
      EXPECT_EQ(drawn.value().token, draw_from(given, random_uniform(params.seed, 9, RandomStream::kSample)));
      if (law.margin < kAmbiguous / 10) continue;  // the roundings of so many tokens cancel one another
      ++compared;
      EXPECT_EQ(given.tokens, law.kept);
      EXPECT_EQ(drawn.value().token, expected);
    }
  }
  EXPECT_GE(compared, 10) << "of 12";
}

// The published example on which the orders of the stages differ: temperature comes before the filters here.
TEST(Sampler, TemperatureComesBeforeTopP) {
  EXPECT_EQ(kept_of({3, 2, 1}, {.temperature = 0.5f, .top_p = 0.8f}), (Tokens{0}));
  EXPECT_EQ(kept_of({3, 2, 1}, {.temperature = 1.0f, .top_p = 0.8f}), (Tokens{0, 1}));
}

TEST(Sampler, TopPMassIsOfTheWholeVocabularyNotOfTheSurvivors) {
  // Four equal tokens, two survive top-k: together they reach 0.5 of the whole, so top-p 0.5 needs both and
  // 0.25 one.
  const Logits equal(4, 2.0f);
  EXPECT_EQ(kept_of(equal, {.temperature = 1, .top_k = 2, .top_p = 0.5f}), (Tokens{0, 1}));
  EXPECT_EQ(kept_of(equal, {.temperature = 1, .top_k = 2, .top_p = 0.25f}), (Tokens{0}));
  EXPECT_EQ(kept_of(equal, {.temperature = 1, .top_k = 2, .top_p = 0.75f}), (Tokens{0, 1}));
}

TEST(Sampler, TiesAtEveryBoundaryGoToTheLowerId) {
  const Logits logits = {1, 5, 1, 5, 1, 5};
  EXPECT_EQ(kept_of(logits, {.temperature = 1, .top_k = 2}), (Tokens{1, 3}));
  EXPECT_EQ(kept_of(logits, {.temperature = 1, .top_k = 4}), (Tokens{1, 3, 5, 0}));
  EXPECT_EQ(kept_of(logits, {.temperature = 1, .top_p = 0.5f}), (Tokens{1, 3}));
  EXPECT_EQ(kept_of(logits, {.temperature = 1, .min_p = 1.0f}), (Tokens{1, 3, 5}));
}

TEST(Sampler, LimitsOfTheParametersKeepOneTokenOrAll) {
  const Logits logits = {0, 3, 1};
  EXPECT_EQ(kept_of(logits, {.temperature = 1, .top_p = 0.0f}), (Tokens{1}));
  EXPECT_EQ(kept_of(logits, {.temperature = 1, .min_p = 1.5f}), (Tokens{1}));
  EXPECT_EQ(kept_of(logits, {.temperature = 1, .top_k = 1}), (Tokens{1}));
  EXPECT_EQ(kept_of(logits, {.temperature = 1, .top_k = 3, .min_p = 1e-9f}), (Tokens{1, 2, 0}));
}

TEST(Sampler, DrawsFromEveryTokenWhenNoFilterIsOn) {
  // More equal tokens than any fixed cap: the share drawn beyond the first 256 ids must be about 3744 / 4000.
  const Logits equal(4000, 0.0f);
  Sampler sampler;
  int beyond = 0;
  for (std::uint64_t position = 0; position < 500; ++position) {
    beyond += sampler.sample(equal, {}, {.temperature = 1}, position).value().token >= 256;
  }
  EXPECT_GT(beyond, 400);
}

TEST(Sampler, GreedyTakesTheLowestIdAndIgnoresTheFilters) {
  const SamplingParams params = {.temperature = 0, .top_k = 1, .top_p = 0, .min_p = 2, .seed = 5};
  const auto drawn = Sampler().sample(Logits{1, 4, 4, 2}, {}, params, 3);
  ASSERT_TRUE(drawn.ok());
  EXPECT_EQ(drawn.value().token, 1u);
  EXPECT_EQ(drawn.value().prob, 1.0f);
}

TEST(Sampler, PenalisesEachDistinctTokenOfTheWindowOnce) {
  // 4 / 2 = 2 once; twice would be 1, below token 1.
  const Logits logits = {4, 1.5f, -1, -1.5f};
  const SamplingParams params = {.repeat_penalty = 2, .penalty_window = 3};
  const auto greedy = [&](const Tokens& history) {
    return Sampler().sample(logits, history, params, 0).value().token;
  };
  EXPECT_EQ(greedy({0, 0, 0}), 0u);
  // Outside the window, token 0 is not penalised at all; inside it falls behind a raised rival.
  const Logits close = {4, 3, 0};
  EXPECT_EQ(Sampler().sample(close, Tokens{0, 2, 2, 2}, params, 0).value().token, 0u);
  EXPECT_EQ(Sampler().sample(close, Tokens{2, 0, 2, 2}, params, 0).value().token, 1u);
  // A negative logit moves down, not towards zero.
  const Logits negative = {-1, -1.5f};
  EXPECT_EQ(Sampler().sample(negative, Tokens{0}, params, 0).value().token, 1u);
  // Ids outside the vocabulary are ignored.
  EXPECT_EQ(greedy({7, 0xFFFFFFFFu}), 0u);
}

TEST(Sampler, LogProbabilityIsThatOfTheGivenLogits) {
  const Logits logits = {2, 1, 0};
  const auto drawn = Sampler().sample(logits, Tokens{0}, {.temperature = 0, .repeat_penalty = 8}, 0);
  ASSERT_EQ(drawn.value().token, 1u);
  EXPECT_NEAR(drawn.value().log_prob, -1.40760596, 1e-6);  // 1 - ln(e^2 + e + 1)
  EXPECT_EQ(drawn.value().log_prob, Sampler().log_probability(logits, 1));
  EXPECT_EQ(Sampler().log_probability(Logits{0, -kInf}, 1), -kInf);
}

TEST(Sampler, SayTypedErrors) {
  EXPECT_EQ(code_of({}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of({1, kNaN}), ErrorCode::kLogitsNotFinite);
  EXPECT_EQ(code_of({kNaN, 1}), ErrorCode::kLogitsNotFinite);
  EXPECT_EQ(code_of({kInf, 1}), ErrorCode::kLogitsNotFinite);
  EXPECT_EQ(code_of({-kInf, -kInf}), ErrorCode::kAllTokensMasked);
  const Logits fine = {1, 2};
  EXPECT_EQ(code_of(fine, {.temperature = kNaN}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(fine, {.temperature = kInf}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(fine, {.top_p = kNaN}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(fine, {.min_p = kNaN}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(fine, {.repeat_penalty = 0}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(fine, {.repeat_penalty = kNaN}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(fine), ErrorCode::kOk);
}

}  // namespace
}  // namespace emberline
