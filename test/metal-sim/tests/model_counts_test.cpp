// What a token costs the GPU, counted: commands, bytes, submissions and waits.
#include <atomic>
#include <map>

#include "model_fixture.h"
#include "token_bytes.h"
#include "toy_decoder.h"

namespace emberline::testing {
namespace {

constexpr std::uint32_t kPrompt = 20;

class MetalCounts : public SimulatedMac {
 protected:
  // Of a chain of `steps` steps behind a prompt, in chunks of 8.
  static std::uint64_t dispatches_of_chain(std::uint32_t layers, std::uint32_t steps,
                                           const SamplingBlock* sampling) {
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
    return metal_sim::counts().dispatches;
  }
  static GenerationRequest request_of(std::uint32_t tokens, const SamplingBlock* sampling) {
    GenerationRequest request;
    request.max_tokens = tokens;
    request.single_line = false;
    request.ban_blank_start = false;
    if (sampling != nullptr) {
      request.sampling.temperature = sampling->temperature;
      request.sampling.top_k = sampling->top_k;
      request.sampling.top_p = sampling->top_p;
      request.sampling.min_p = sampling->min_p;
      request.sampling.repeat_penalty = sampling->repeat_penalty;
      request.sampling.penalty_window = sampling->penalty_window;
      request.sampling.seed = sampling->seed_low;
    }
    return request;
  }
};

TEST_F(MetalCounts, ATokenIsFewCommands) {
  const std::uint64_t one = dispatches_of_chain(1, 16, nullptr), three = dispatches_of_chain(3, 16, nullptr);
  const std::uint64_t a_layer = (three - one) / 2 / 16;
  EXPECT_LE(a_layer, 5u);
  EXPECT_LE(one / 16 - a_layer, 4u);
  EXPECT_EQ(dispatches_of_chain(3, 16, &kToySampling), three + 16) << "one more to sample";
}

// The shipped loop, which decides on the chunks and when to wait, from the first chunk on.
TEST_F(MetalCounts, EachChunkIsSubmittedOnceAheadOfTheWaitForTheOneBefore) {
  constexpr std::uint32_t kTokens = 200;
  for (const SamplingBlock* sampling : kGreedyAndSampled) {
    SCOPED_TRACE(sampling == nullptr ? "greedy" : "sampled");
    ToyModel toy = gpu_toy(TensorType::kQ4_0);
    toy.end_tokens = false;
    ToyDecoder decoder(toy, 256, metal_device(unchecked_kernels()));
    decoder.step_ms = 1;
    std::map<std::uint64_t, std::uint32_t> steps;  // by submission
    metal_sim::set_before_dispatch([&](const metal_sim::DispatchView& dispatch) {
      if (dispatch.kernel.starts_with("argmax")) ++steps[dispatch.submission];
    });
    const Generation text = decoder.generate_from(random_tokens(4, decoder.toy.hyperparameters.vocabulary, 3),
                                                  request_of(kTokens, sampling));
    metal_sim::set_before_dispatch({});
    EXPECT_EQ(text.ids.size(), kTokens);

    std::vector<std::uint64_t> chunks;
    std::uint32_t chained = 0;
    for (const auto& [submission, count] : steps) {
      chunks.push_back(submission);
      chained += count;
    }
    EXPECT_EQ(chained, kTokens - 1) << "all but the first, which is chosen on the host";
    ASSERT_GE(chunks.size(), 3u);
    // What comes behind the prompt: two chunks, and then always a wait for one and the next.
    std::vector<metal_sim::Event> expected;
    for (std::size_t k = 0; k < chunks.size(); ++k) {
      if (k == 0) expected.push_back({metal_sim::EventKind::kSubmit, chunks[0]});
      if (k + 1 < chunks.size()) expected.push_back({metal_sim::EventKind::kSubmit, chunks[k + 1]});
      expected.push_back({metal_sim::EventKind::kWaitBegin, chunks[k]});
    }
    std::vector<metal_sim::Event> asked;
    for (const metal_sim::Event& event : metal_sim::events()) {
      const bool by_host =
          event.kind == metal_sim::EventKind::kSubmit || event.kind == metal_sim::EventKind::kWaitBegin;
      if (by_host && event.submission >= chunks.front()) asked.push_back(event);
    }
    EXPECT_TRUE(asked == expected);
  }
}

// Of a whole chain, greedy and sampled; its steps see from 251 to 266 positions, of two pages.
TEST_F(MetalCounts, EveryWeightAndEveryKeyAndValueIsReadOnceAToken) {
  constexpr std::uint32_t kSteps = 16, kBefore = 250;
  for (const TensorType type : {TensorType::kQ4_0, TensorType::kQ4_K, TensorType::kQ6_K}) {
    ToyModel toy = gpu_toy(type);
    toy.context = 512;
    const std::uint64_t kv_bytes = kv_bytes_of_position(toy.layers, toy.kv_heads, toy.head_width);
    for (const SamplingBlock* sampling : kGreedyAndSampled) {
      SCOPED_TRACE(std::string(traits(type).name) + (sampling == nullptr ? ", greedy" : ", sampled"));
      ToyPass metal(toy, 512, metal_device());
      metal.prefill(random_tokens(kBefore, metal.hyperparameters.vocabulary, 3));
      metal_sim::clear_counts();
      const std::uint32_t chunks[] = {8, 8};
      const std::vector<TokenId> tokens = run_chain(
          *metal.pass, 3,
          {.position = kBefore, .steps = kSteps, .stop = {}, .cancel = nullptr, .sampling = sampling},
          chunks);
      EXPECT_EQ(tokens.size(), kSteps);
      const metal_sim::Counts counts = metal_sim::counts();
      EXPECT_EQ(counts.traffic_of("matrices").bytes_read, kSteps * weight_bytes_of_token(*metal.file));
      // Step s sees its own position and those before it.
      std::uint64_t positions = 0;
      for (std::uint32_t step = 0; step < kSteps; ++step) positions += kBefore + step + 1;
      EXPECT_EQ(counts.traffic_of("pool").bytes_read, positions * kv_bytes);
      EXPECT_EQ(counts.traffic_of("pool").bytes_written, kSteps * kv_bytes);
    }
  }
}

// What a step took when it was last measured decides on the first chunk: 30 ms of it, or as much as the chip
// wants.
TEST_F(MetalCounts, TheFirstChunkIsWhatTheBudgetAllows) {
  const struct {
    double step_ms;
    bool single_line;
    std::uint32_t steps;
  } cases[] = {
      {0.1, false, 64}, {1.0, false, 30}, {7.0, false, 4}, {0.1, true, kLineChunkSteps}, {7.0, true, 4}};
  metal_sim::Machine machine;
  machine.name = "Apple M1";
  metal_sim::set_machine(machine);
  for (const SamplingBlock* sampling : kGreedyAndSampled) {
    for (const auto& [step_ms, single_line, steps] : cases) {
      SCOPED_TRACE(sampling == nullptr ? "greedy" : "sampled");
      ToyModel toy = gpu_toy(TensorType::kQ4_0);
      toy.end_tokens = false;
      ToyDecoder decoder(toy, 256, metal_device(unchecked_kernels()));
      decoder.step_ms = step_ms;
      std::map<std::uint64_t, std::uint32_t> argmaxes;  // by submission
      std::atomic<bool> cancel{false};
      metal_sim::set_before_dispatch([&](const metal_sim::DispatchView& dispatch) {
        if (dispatch.kernel.starts_with("argmax")) ++argmaxes[dispatch.submission];
        cancel = argmaxes.size() > 1;
      });
      GenerationRequest request = request_of(200, sampling);
      request.single_line = single_line;
      request.cancel = &cancel;
      decoder.generate_from(random_tokens(4, decoder.toy.hyperparameters.vocabulary, 3), request);
      metal_sim::set_before_dispatch({});
      ASSERT_FALSE(argmaxes.empty());
      EXPECT_EQ(argmaxes.begin()->second, steps) << step_ms << " ms a step";
    }
  }
}

}  // namespace
}  // namespace emberline::testing
