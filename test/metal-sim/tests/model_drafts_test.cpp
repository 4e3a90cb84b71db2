// Speculative decoding on the GPU: batches give the bits of single tokens, and what the host chooses it
// chooses as the GPU does, so drafts leave the ids as they are.
#include <memory>

#include "decode/speculation/draft_model.h"
#include "model_fixture.h"
#include "toy_decoder.h"
#include "turns.h"

namespace emberline::testing {
namespace {

class MetalDrafts : public GpuTest {
 protected:
  static GenerationRequest request(float temperature) {
    GenerationRequest request;
    request.max_tokens = 60;
    request.single_line = false;
    request.ban_blank_start = false;
    request.sampling.temperature = temperature;
    request.sampling.top_k = 40;
    request.sampling.top_p = 0.95f;
    request.sampling.seed = 3;
    return request;
  }

  // A text in which lookups find something.
  static std::vector<TokenId> prompt(const ToyDecoder& decoder) {
    std::vector<TokenId> tokens =
        random_tokens(6, static_cast<std::uint32_t>(decoder.tokenizer->vocabulary_size()) - 2, 4);
    const std::vector<TokenId> once = tokens;
    for (int times = 0; times < 3; ++times) tokens.insert(tokens.end(), once.begin(), once.end());
    return tokens;
  }
};

TEST_F(MetalDrafts, LeaveGreedyAndSampledIdsAsTheyAre) {
  std::uint32_t accepted = 0;
  for (const float temperature : {0.0f, 0.2f, 1.0f}) {
    for (const bool adaptive : {false, true}) {
      ToyModel toy = gpu_toy();
      toy.output_scale = 4;
      ToyDecoder decoder(toy, 256, metal_device(unchecked_kernels()));
      ASSERT_TRUE(decoder.toy.pass->samples());
      const std::vector<TokenId> tokens = prompt(decoder);
      const Generation plain = decoder.generate_from(tokens, request(temperature));
      decoder.speculation.begin({.lookup = true, .adaptive = adaptive, .most = 6},
                                request(temperature).sampling, true);
      const Generation drafted = decoder.generate_from(tokens, request(temperature));
      EXPECT_EQ(drafted.ids, plain.ids) << "temperature " << temperature;
      EXPECT_EQ(drafted.stop, plain.stop);
      accepted += decoder.speculation.counts().accepted;
    }
  }
  EXPECT_GT(accepted, 0u) << "of nothing but refused drafts this would say little";
}

// Logits are read back, and masked before anything is drawn; what is forced is verified on the GPU.
TEST_F(MetalDrafts, ObeyAConstraint) {
  for (const float temperature : {0.0f, 1.0f}) {
    ToyDecoder decoder(gpu_toy(), 256, metal_device());
    const std::vector<TokenId> tokens = prompt(decoder);
    Turns plainly(256), drafting(256);
    GenerationRequest constrained = request(temperature);
    constrained.constraint = &plainly;
    decoder.toy.prefill(tokens);
    const Generation plain =
        take(generate({*decoder.toy.pass, *decoder.tokenizer, decoder.sets, decoder.choice, decoder.step_ms},
                      tokens, constrained));
    for (std::size_t step = 0; step < plain.ids.size(); ++step)
      ASSERT_TRUE(plainly.allows(step, plain.ids[step])) << step;
    constrained.constraint = &drafting;
    decoder.speculation.begin({.lookup = true}, constrained.sampling, true);
    EXPECT_EQ(decoder.generate_from(tokens, constrained).ids, plain.ids);
    EXPECT_GE(decoder.speculation.counts().accepted, 3u * (60 / 8)) << "forced tokens are always right";
  }
}

// A draft model on the GPU as well: greedily it drafts by chains, otherwise token by token from its logits.
class MetalDraftModel : public MetalDrafts {
 protected:
  struct Drafted {
    std::vector<TokenId> plain;  // greedily alone: other ids depend on what was drafted
    std::vector<TokenId> ids;
    DraftingCounts counts;
  };
  // `seed`: of the draft model's weights; the model's own is 1.
  static Drafted draft(std::uint64_t seed, float temperature) {
    ToyModel toy = gpu_toy(TensorType::kQ8_0);
    ToyDecoder decoder(toy, 256, metal_device(unchecked_kernels()));
    toy.seed = seed;
    ToyPass drafting(toy, 256, metal_device(unchecked_kernels()));
    const std::unique_ptr<DraftModel> model =
        take(DraftModel::create(take(ForwardPass::create(drafting.on_device(), 256)),
                                decoder.toy.hyperparameters.vocabulary, best_sampling_kernels()));
    Speculation speculation(model.get());
    const std::vector<TokenId> tokens = prompt(decoder);
    GenerationRequest wanted = request(temperature);
    wanted.max_tokens = 24;
    Drafted made;
    if (temperature == 0) made.plain = decoder.generate_from(tokens, wanted).ids;
    speculation.begin({.model = true, .adaptive = false, .most = 4}, wanted.sampling, true);
    decoder.toy.prefill(tokens);
    made.ids = take(generate({*decoder.toy.pass, *decoder.tokenizer, decoder.sets, decoder.choice,
                              decoder.step_ms, &speculation},
                             tokens, wanted))
                   .ids;
    made.counts = speculation.counts();
    return made;
  }
};

TEST_F(MetalDraftModel, LeavesGreedyIdsAsTheyAre) {
  const Drafted made = draft(2, 0);
  EXPECT_EQ(made.ids, made.plain);
  EXPECT_GT(made.counts.drafted, 0u);
}

// Its law is the target's: a batch on the GPU has to give the very numbers of single tokens for that.
TEST_F(MetalDraftModel, IsNeverRefusedWhereItIsTheModelItself) {
  const DraftingCounts own = draft(1, 1).counts, other = draft(2, 1).counts;
  EXPECT_GT(own.drafted, 10u);
  EXPECT_EQ(own.accepted, own.drafted);
  EXPECT_LT(other.accepted, other.drafted) << "another model's drafts are refused";
}

}  // namespace
}  // namespace emberline::testing
