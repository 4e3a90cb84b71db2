// Sampled chains on the device: a sampler before the argmax, and no host between tokens.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "device/table_harness.h"
#include "gpu_fixture.h"
#include "reference/random_data.h"
#include "sampling/gumbel_noise.h"

namespace emberline::testing {
namespace {

constexpr std::uint32_t kWidth = 32, kVocabulary = 300, kTokens = 20;

// Embedding, output matrix, sampler, argmax.
class SampledModel {
 public:
  explicit SampledModel(Device& device) : device_(device), table_(device) {
    Random random(51);
    const auto matrix = [&] {
      return table_.matrix(TensorType::kF16, kVocabulary, kWidth,
                           random_weights(TensorType::kF16, kVocabulary, kWidth, random));
    };
    const auto type = static_cast<std::uint32_t>(TensorType::kF16);
    const Binding x = table_.zeros(kWidth * 4), scores = table_.zeros(kVocabulary * 4),
                  normalizer = table_.zeros(4);
    tokens_ = table_.words(std::vector<std::uint32_t>(kTokens));
    log_probs_ = table_.zeros(kTokens * 4);
    logits_ = table_.zeros(kVocabulary * 4);
    sampling_ = table_.zeros(sizeof(SamplingBlock));
    table_.add(Op::kEmbedding, {tokens_, matrix(), x}, EmbeddingParams{kWidth, kVocabulary, type},
               Patch::kTokenOffset);
    table_.add(Op::kMatMul, {x, matrix(), kAbsent, logits_}, MatMulParams{kWidth, kVocabulary, type, 0, 0});
    table_.add(Op::kGumbel, {logits_, tokens_, sampling_, scores, normalizer}, GumbelParams{kVocabulary},
               Patch::kPosition);
    table_.add(Op::kArgmax, {scores, tokens_, log_probs_, logits_, normalizer}, ArgmaxParams{kVocabulary, 0},
               Patch::kArgmaxOutput);
    const Status prepared = table_.prepare(1);
    EXPECT_TRUE(prepared.ok()) << prepared.message();
  }

  void set(const SamplingBlock& sampling) {
    EXPECT_TRUE(device_.write(sampling_.buffer, 0, &sampling, sizeof(sampling)).ok());
  }
  void set_token(std::uint32_t position, std::uint32_t token) {
    EXPECT_TRUE(device_.write(tokens_.buffer, 4 * position, &token, 4).ok());
  }
  std::uint32_t run(std::uint32_t position, std::uint32_t steps) {
    Replay request;
    request.position = position;
    request.steps = steps;
    const auto outcome = table_.replay(request);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message();
    return outcome.ok() ? outcome.value().steps_completed : 0;
  }
  std::vector<std::uint32_t> tokens() { return table_.read_words(tokens_, kTokens); }
  std::vector<float> log_probs() { return table_.read_floats(log_probs_, kTokens); }
  std::vector<float> logits() { return table_.read_floats(logits_, kVocabulary); }

 private:
  Device& device_;
  TableHarness table_;
  Binding tokens_, log_probs_, logits_, sampling_;
};

constexpr SamplingBlock kPlain{0.8f, 1.0f, 0.0f, 1.0f, 0, 0, 77, 0};

class MetalSampling : public GpuTest {
 protected:
  MetalSampling() : device_(metal_device()), model_(*device_) { model_.set_token(0, 5); }
  std::unique_ptr<Device> device_;
  SampledModel model_;
};

TEST_F(MetalSampling, DrawsWhatTheLawSays) {
  model_.set(kPlain);
  for (std::uint32_t position = 0; position < 6; ++position) {
    ASSERT_EQ(model_.run(position, 1), 1u);
    const auto logits = model_.logits();
    double sum = 0;
    std::vector<double> scores;
    for (std::uint32_t token = 0; token < kVocabulary; ++token) {
      sum += std::exp(double{logits[token]});
      scores.push_back(gumbel_noise(77, position + 1, token) + logits[token] / double{kPlain.temperature});
    }
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    const std::uint32_t chosen = model_.tokens()[position + 1];
    EXPECT_EQ(chosen, static_cast<std::uint32_t>(best));
    EXPECT_NEAR(model_.log_probs()[position + 1], logits[chosen] - std::log(sum), 1e-5);
  }
}

TEST_F(MetalSampling, AChainIsItsSteps) {
  SamplingBlock sampling{0.7f, 0.95f, 0.01f, 1.3f, 40, 8, 5, 6};
  model_.set(sampling);
  ASSERT_EQ(model_.run(0, 12), 12u);
  const auto tokens = model_.tokens();
  const auto log_probs = model_.log_probs();
  SampledModel stepped(*device_);
  stepped.set(sampling);
  stepped.set_token(0, 5);
  for (std::uint32_t step = 0; step < 12; ++step) ASSERT_EQ(stepped.run(step, 1), 1u);
  EXPECT_EQ(stepped.tokens(), tokens);
  EXPECT_EQ(stepped.log_probs(), log_probs);

  sampling.seed_low = 6;
  model_.set(sampling);
  ASSERT_EQ(model_.run(0, 12), 12u);
  EXPECT_NE(model_.tokens(), tokens);
}

TEST_F(MetalSampling, WithoutATemperatureIsTheArgmax) {
  model_.set({0.0f, 0.5f, 0.2f, 1.0f, 3, 0, 1, 2});
  ASSERT_EQ(model_.run(0, 5), 5u);
  const auto logits = model_.logits();
  EXPECT_EQ(model_.tokens()[5],
            static_cast<std::uint32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin()));
}

TEST_F(MetalSampling, TakesOneRow) {
  TableHarness table(*device_);
  const Binding logits = table.zeros(2 * kVocabulary * 4);
  table.add(Op::kGumbel,
            {logits, table.zeros(64), table.zeros(64), table.zeros(2 * kVocabulary * 4), table.zeros(8)},
            GumbelParams{kVocabulary}, Patch::kPosition);
  EXPECT_TRUE(table.prepare(1).ok());
  EXPECT_EQ(table.prepare(2).code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace emberline::testing
