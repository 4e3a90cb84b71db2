// Are tokens drawn with the probabilities the law gives them? A million draws of the sampler kernel.
#include <gtest/gtest.h>

#include <random>

#include "sampler_run.h"
#include "sampling/chi_square.h"
#include "sampling/oracle.h"

namespace emberline::metal_sim {
namespace {

constexpr std::uint32_t kVocabulary = 64;
constexpr std::uint32_t kRowsAtOnce = 4096;

std::vector<float> fixed_logits() {
  std::mt19937_64 random(7);
  std::vector<float> logits(kVocabulary);
  for (float& logit : logits) logit = std::normal_distribution<float>(0, 1.5f)(random);
  return logits;
}

// Draws at `batches` * kRowsAtOnce positions in a row, of one seed.
std::map<std::uint32_t, double> draw(const std::vector<float>& logits, const SamplingParams& params,
                                     std::uint32_t batches) {
  SamplerRun run;
  run.params = params;
  run.vocabulary = kVocabulary;
  run.rows = kRowsAtOnce;
  run.threads = 32;
  run.checked = false;
  for (std::uint32_t r = 0; r < kRowsAtOnce; ++r)
    run.logits.insert(run.logits.end(), logits.begin(), logits.end());
  std::map<std::uint32_t, double> counts;
  for (std::uint32_t batch = 0; batch < batches; ++batch) {
    run.position = batch * kRowsAtOnce;
    run.run();
    for (std::uint32_t r = 0; r < kRowsAtOnce; ++r) counts[run.drawn(r)] += 1;
  }
  return counts;
}

std::map<std::uint32_t, double> law_of(const std::vector<float>& logits, const SamplingParams& params) {
  const auto law = oracle::distribution(logits, {}, params);
  std::map<std::uint32_t, double> result;
  for (std::size_t i = 0; i < law.kept.size(); ++i) result[law.kept[i]] = static_cast<double>(law.prob[i]);
  return result;
}

// control: a law with this many times the temperature must be refused.
void expect_law(SamplingParams params, std::uint32_t batches, float control) {
  const std::vector<float> logits = fixed_logits();
  const double draws = double{kRowsAtOnce} * batches;
  const auto counts = draw(logits, params, batches);
  const Fit own = fit(counts, law_of(logits, params), draws);
  EXPECT_FALSE(own.refused()) << own.statistic << " of " << own.degrees << " degrees";
  params.temperature *= control;
  EXPECT_TRUE(fit(counts, law_of(logits, params), draws).refused());
}

TEST(DeepSamplerLaw, AMillionDrawsFollowIt) {
  expect_law({.temperature = 0.9f, .seed = 42}, 245, 1.02f);
}

TEST(SamplerLaw, DrawsBehindEveryFilterFollowIt) {
  expect_law({.temperature = 1.1f, .top_k = 40, .top_p = 0.97f, .min_p = 0.01f, .seed = 43}, 25, 1.1f);
}

}  // namespace
}  // namespace emberline::metal_sim
