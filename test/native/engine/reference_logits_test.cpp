// The embedded model's logits against an independent float32 implementation
// (test/fixtures/reference/README.md).
#include "reference_logits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/model_impl.h"
#include "engine/session.h"
#include "model/forward_pass.h"
#include "real_model.h"

namespace emberline::testing {
namespace {

double log_sum_exp(std::span<const float> logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return largest + std::log(sum);
}

// KL(reference || ours) over the 64 largest ids and one bin for all others: a lower bound of the full
// divergence, and close to it, since the tail differs in little but its mass.
double divergence(const TopRecord& reference, std::span<const float> logits) {
  const double log_sum = log_sum_exp(logits);
  double kl = 0, mass = 0;
  for (std::size_t i = 0; i < reference.ids.size(); ++i) {
    const double log_q = logits[reference.ids[i]] - log_sum;
    kl += std::exp(static_cast<double>(reference.log_probs[i])) * (reference.log_probs[i] - log_q);
    mass += std::exp(log_q);
  }
  const double p_tail = std::max<double>(reference.tail_mass, 1e-12), q_tail = std::max(1.0 - mass, 1e-12);
  return kl + p_tail * std::log(p_tail / q_tail);
}

// Those that are not chosen here.
std::vector<std::string> other_isas() {
  const std::vector<std::string> all = available_isas();
  return {all.begin() + 1, all.end()};
}

class RealModelReferenceLogits : public ::testing::TestWithParam<std::string> {};

TEST_P(RealModelReferenceLogits, TopOneAndDivergenceAtTwoThousandPositions) {
  const std::shared_ptr<Model> model = real_model_with(GetParam());
  const ReferenceLogits reference = read_reference_logits(model->info().vocabulary);
  Model::Impl& loaded = model->impl();
  auto pass = take(ForwardPass::create(loaded.on_device(), 1024));

  std::size_t record = 0, clear = 0, agreed = 0, agreed_of_all = 0;
  double sum = 0, worst = 0;
  std::vector<float> logits(model->info().vocabulary);
  for (const std::vector<TokenId>& ids : reference.sequences) {
    for (std::size_t start = 0; start < ids.size(); start += kVerifyRows) {
      const auto rows = std::span(ids).subspan(start, std::min<std::size_t>(kVerifyRows, ids.size() - start));
      take(pass->verify(rows, static_cast<std::uint32_t>(start), nullptr));
      for (std::uint32_t row = 0; row < rows.size(); ++row, ++record) {
        ASSERT_LT(record, reference.top.size());
        const TopRecord& expected = reference.top[record];
        ASSERT_TRUE(pass->read_logits(row, logits).ok());
        const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
        const bool same = static_cast<std::uint32_t>(best) == expected.ids[0];
        agreed_of_all += same;
        if (expected.log_probs[0] - expected.log_probs[1] > 0.1f) {
          ++clear;
          agreed += same;
        }
        const double kl = divergence(expected, logits);
        sum += kl;
        worst = std::max(worst, kl);
      }
    }
  }
  ASSERT_EQ(record, reference.top.size());
  ASSERT_GE(record, 2000u);
  const double mean = sum / static_cast<double>(record);
  const double agreement = static_cast<double>(agreed) / static_cast<double>(clear);
  std::printf(
      "%zu positions, %s: top-1 %.3f %% of %zu with a margin above 0.1 (%.3f %% of all), KL mean %.3g, worst "
      "%.3g\n",
      record, GetParam().c_str(), 100 * agreement, clear,
      100.0 * static_cast<double>(agreed_of_all) / static_cast<double>(record), mean, worst);
  EXPECT_GE(agreement, 0.99);
  EXPECT_LE(mean, 2e-3);
}

INSTANTIATE_TEST_SUITE_P(ChosenKernels, RealModelReferenceLogits, ::testing::Values(available_isas().front()),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(DeepOtherKernels, RealModelReferenceLogits, ::testing::ValuesIn(other_isas()),
                         [](const auto& info) { return info.param; });

TEST(RealModelFullLogits, AtThirtyTwoPositions) {
  const std::shared_ptr<Model> model = real_model();
  const ReferenceLogits reference = read_reference_logits(model->info().vocabulary);
  auto session = take(Session::create(model, 1024));
  ASSERT_EQ(reference.full.size(), 32u);
  double sum = 0, worst_error = 0;
  for (const FullRecord& record : reference.full) {
    const std::span<const TokenId> ids =
        std::span(reference.sequences.at(record.sequence)).first(record.position + 1);
    const std::vector<float> logits = take(session->logits(ids));
    const double log_p_sum = log_sum_exp(record.logits), log_q_sum = log_sum_exp(logits);
    double kl = 0, difference = 0, norm = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const double log_p = record.logits[i] - log_p_sum, log_q = logits[i] - log_q_sum;
      kl += std::exp(log_p) * (log_p - log_q);
      difference += (logits[i] - record.logits[i]) * (logits[i] - record.logits[i]);
      norm += record.logits[i] * record.logits[i];
    }
    sum += kl;
    worst_error = std::max(worst_error, std::sqrt(difference / norm));
  }
  std::printf("32 positions: KL mean %.3g over all ids, worst relative error of the logits %.3g\n", sum / 32,
              worst_error);
  EXPECT_LE(sum / 32, 2e-3);
  EXPECT_LE(worst_error, 0.1) << "rounded activations give about 0.05, a wrong table about 1";
}

}  // namespace
}  // namespace emberline::testing
