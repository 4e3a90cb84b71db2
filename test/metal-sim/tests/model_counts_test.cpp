// What a token costs the GPU, counted: commands, bytes, submissions and waits.
#include <algorithm>

#include "model_fixture.h"

namespace emberline::testing {
namespace {

constexpr std::uint32_t kPrompt = 20;

struct Cost {
  std::uint64_t dispatches = 0, submissions = 0, waits = 0;
  std::uint64_t weight_bytes = 0;
};

class MetalCounts : public SimulatedMac {
 protected:
  // Of a chain of `steps` steps behind a prompt, in chunks of 8.
  static Cost cost_of_chain(std::uint32_t layers, std::uint32_t steps, const SamplingBlock* sampling) {
    ToyModel toy = gpu_toy(TensorType::kQ4_0);
    toy.layers = layers;
    ToyPass metal(toy, 256, metal_device());
    metal.prefill(random_tokens(kPrompt, metal.hyperparameters.vocabulary, 3));
    metal_sim::clear_counts();
    const std::vector<std::uint32_t> chunks(steps / 8, 8);
    const std::vector<TokenId> tokens = run_chain(
        *metal.pass, 3,
        {.position = kPrompt, .steps = steps, .stop = {}, .cancel = nullptr, .sampling = sampling}, chunks);
    EXPECT_EQ(tokens.size(), steps);
    const metal_sim::Counts counts = metal_sim::counts();
    return {counts.dispatches, counts.submissions, counts.waits, counts.traffic_of("matrices").bytes_read};
  }
};

constexpr SamplingBlock kSampling{.temperature = 0.8f,
                                  .top_p = 0.95f,
                                  .min_p = 0.05f,
                                  .repeat_penalty = 1.1f,
                                  .top_k = 40,
                                  .penalty_window = 64,
                                  .seed_low = 5,
                                  .seed_high = 0};

TEST_F(MetalCounts, ATokenIsFewCommands) {
  const Cost one = cost_of_chain(1, 16, nullptr), three = cost_of_chain(3, 16, nullptr);
  const std::uint64_t a_layer = (three.dispatches - one.dispatches) / 2 / 16;
  EXPECT_LE(a_layer, 5u);
  EXPECT_LE(one.dispatches / 16 - a_layer, 4u);
  EXPECT_EQ(cost_of_chain(3, 16, &kSampling).dispatches, three.dispatches + 16) << "one more to sample";
}

TEST_F(MetalCounts, AChunkIsOneSubmissionAndOneWait) {
  for (const SamplingBlock* sampling : {static_cast<const SamplingBlock*>(nullptr), &kSampling}) {
    const Cost cost = cost_of_chain(2, 32, sampling);
    EXPECT_EQ(cost.submissions, 4u);
    EXPECT_LE(cost.waits, 4u);
  }
}

TEST_F(MetalCounts, TheNextChunkIsSubmittedBeforeTheLastIsWaitedFor) {
  ToyPass metal(gpu_toy(), 256, metal_device());
  metal.prefill(random_tokens(kPrompt, metal.hyperparameters.vocabulary, 3));
  const std::size_t before = metal_sim::events().size();
  const std::uint32_t chunks[] = {4, 4, 4, 4};
  run_chain(*metal.pass, 3, {.position = kPrompt, .steps = 16, .stop = {}}, chunks);
  const std::vector<metal_sim::Event> events = metal_sim::events();
  std::vector<std::uint64_t> submitted;
  std::size_t ended = 0;
  for (std::size_t i = before; i < events.size(); ++i) {
    if (events[i].kind == metal_sim::EventKind::kSubmit) {
      submitted.push_back(events[i].submission);
    } else if (events[i].kind == metal_sim::EventKind::kWaitEnd) {
      ++ended;
      // When the wait for chunk k is over, chunk k + 1 is there.
      EXPECT_GE(submitted.size(), std::min<std::size_t>(ended + 1, 4));
    }
  }
  EXPECT_EQ(submitted.size(), 4u);
}

TEST_F(MetalCounts, EveryWeightIsReadOnceAToken) {
  ToyModel toy = gpu_toy(TensorType::kQ4_0);
  const std::uint64_t embedding = std::uint64_t{toy.vocabulary()} * toy.width;
  const std::uint64_t layer = std::uint64_t{toy.width} * (toy.heads + 2 * toy.kv_heads) * toy.head_width +
                              std::uint64_t{toy.heads} * toy.head_width * toy.width +
                              3ull * toy.width * toy.hidden;
  // 18 bytes hold 32 weights; the embedding is the output matrix, too, and gives one row besides.
  const std::uint64_t expected = (embedding + toy.layers * layer + toy.width) / 32 * 18;
  EXPECT_EQ(cost_of_chain(toy.layers, 16, nullptr).weight_bytes, 16 * expected);
}

TEST_F(MetalCounts, NoWeightIsReadBehindAStop) {
  ToyPass metal(gpu_toy(), 256, metal_device());
  metal.prefill(random_tokens(kPrompt, metal.hyperparameters.vocabulary, 3));
  const std::uint32_t whole[] = {16};
  const ChainRequest request{.position = kPrompt, .steps = 16, .stop = {}};
  const std::vector<TokenId> tokens = run_chain(*metal.pass, 3, request, whole);
  const auto steps =
      static_cast<std::uint64_t>(std::find(tokens.begin(), tokens.end(), tokens[4]) - tokens.begin()) + 1;
  metal_sim::clear_counts();
  const std::uint32_t one[] = {1};
  run_chain(*metal.pass, 3, {.position = kPrompt, .steps = 1, .stop = {}}, one);
  const std::uint64_t a_step = metal_sim::counts().traffic_of("matrices").bytes_read;
  std::vector<std::uint64_t> bits(metal.hyperparameters.vocabulary / 64 + 1, 0);
  bits[tokens[4] / 64] |= std::uint64_t{1} << (tokens[4] % 64);
  metal_sim::clear_counts();
  const std::uint32_t chunks[] = {16, 32};
  const std::vector<TokenId> stopped =
      run_chain(*metal.pass, 3, {.position = kPrompt, .steps = 48, .stop = {bits}}, chunks);
  EXPECT_EQ(stopped.size(), steps);
  EXPECT_EQ(metal_sim::counts().traffic_of("matrices").bytes_read, steps * a_step);
}

}  // namespace
}  // namespace emberline::testing
