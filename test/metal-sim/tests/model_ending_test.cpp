// Chains of a whole model that end before their steps do, greedy and sampled: what is behind the end costs no
// weights.
#include <algorithm>
#include <atomic>
#include <thread>

#include "device/chain_state.h"
#include "model_fixture.h"
#include "token_bytes.h"

namespace emberline::testing {
namespace {

class MetalEnding : public SimulatedMac, public ::testing::WithParamInterface<const SamplingBlock*> {
 protected:
  static constexpr std::uint32_t kPrompt = 20;

  MetalEnding() : metal_(gpu_toy(TensorType::kQ4_0), 256, metal_device()) {
    metal_.prefill(random_tokens(kPrompt, metal_.hyperparameters.vocabulary, 3));
    metal_sim::clear_counts();
  }
  ChainRequest request_of(std::uint32_t steps, StopSet stop = {}, const std::atomic<bool>* cancel = nullptr) {
    return {.position = kPrompt, .steps = steps, .stop = stop, .cancel = cancel, .sampling = GetParam()};
  }
  std::uint64_t weight_bytes_of(std::uint64_t steps) { return steps * weight_bytes_of_token(*metal_.file); }

  ToyPass metal_;
};

TEST_P(MetalEnding, NoWeightIsReadBehindAStop) {
  const std::uint32_t whole[] = {16}, chunks[] = {16, 32};
  const std::vector<TokenId> tokens = run_chain(*metal_.pass, 3, request_of(16), whole);
  const auto steps =
      static_cast<std::uint64_t>(std::find(tokens.begin(), tokens.end(), tokens[4]) - tokens.begin()) + 1;
  std::vector<std::uint64_t> bits(metal_.hyperparameters.vocabulary / 64 + 1, 0);
  bits[tokens[4] / 64] |= std::uint64_t{1} << (tokens[4] % 64);
  metal_sim::clear_counts();
  EXPECT_EQ(run_chain(*metal_.pass, 3, request_of(48, {bits}), chunks).size(), steps);
  EXPECT_EQ(metal_sim::counts().traffic_of("matrices").bytes_read, weight_bytes_of(steps));
}

// The flag is set in the midst of the fourth token, and that goes on once the device has passed it on: the
// fifth is the first that can see it, and is not begun.
TEST_P(MetalEnding, TheTokenBehindACancelIsNotBegun) {
  std::atomic<bool> cancel{false};
  std::uint32_t attentions = 0;
  metal_sim::set_before_dispatch([&](const metal_sim::DispatchView& dispatch) {
    if (!dispatch.kernel.starts_with("attention") || ++attentions != 3 * 2 + 1) return;  // of two layers
    cancel = true;
    for (const metal_sim::BoundBuffer& buffer : dispatch.buffers) {
      if (buffer.label == nullptr || *buffer.label != "chain state") continue;
      auto* state = static_cast<ChainState*>(buffer.data);
      while (__atomic_load_n(&state->cancel, __ATOMIC_RELAXED) == 0) std::this_thread::yield();
    }
  });
  const std::uint32_t chunks[] = {8, 8};
  EXPECT_EQ(run_chain(*metal_.pass, 3, request_of(16, {}, &cancel), chunks).size(), 4u);
  metal_sim::set_before_dispatch({});
  EXPECT_EQ(metal_sim::counts().traffic_of("matrices").bytes_read, weight_bytes_of(4));
}

INSTANTIATE_TEST_SUITE_P(Choices, MetalEnding, ::testing::ValuesIn(kGreedyAndSampled),
                         [](const ::testing::TestParamInfo<const SamplingBlock*>& info) {
                           return info.param == nullptr ? "Greedy" : "Sampled";
                         });

}  // namespace
}  // namespace emberline::testing
