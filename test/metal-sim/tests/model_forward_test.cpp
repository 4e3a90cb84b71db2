// Whole forward passes of toy models on the GPU against double precision and against the CPU
// engine.
#include <algorithm>

#include "model_fixture.h"
#include "straight_forward.h"

namespace emberline::testing {
namespace {

constexpr TensorType kTypes[] = {
    TensorType::kF32,  TensorType::kF16,    TensorType::kBF16,   TensorType::kQ4_0,
    TensorType::kQ4_1, TensorType::kQ5_0,   TensorType::kQ5_1,   TensorType::kQ8_0,
    TensorType::kQ2_K, TensorType::kQ3_K,   TensorType::kQ4_K,   TensorType::kQ5_K,
    TensorType::kQ6_K, TensorType::kIQ4_NL, TensorType::kIQ4_XS, TensorType::kMXFP4};

class MetalModel : public GpuTest {
 protected:
  // Logits behind a random prompt that is prefilled in slices, the last of which repeats. More than 16 rows
  // together go through the products of tiles, fewer through those of decode.
  static void expect_double_precision(const ToyModel& toy, std::span<const std::size_t> slices) {
    ToyPass metal(toy, 256, metal_device());
    const std::vector<TokenId> tokens = random_tokens(35, metal.hyperparameters.vocabulary, 3);
    // Keys and values are rounded to halves, 2^-11 of each; two layers of attention and what follows carry it
    // on.
    EXPECT_LE(relative_error(metal.prefill_in(slices, tokens), straight_forward(*metal.file, tokens)), 2e-3)
        << traits(toy.type).name << ", slices of " << slices[0];
  }
  // As Q4_K_M; and a pair of types that has no fused kernel.
  static std::vector<ToyModel> mixed_toys() {
    std::vector<ToyModel> toys(2, gpu_toy(TensorType::kQ4_K));
    for (ToyModel& toy : toys) toy.output_type = TensorType::kQ6_K;
    toys[0].mixed_type = TensorType::kQ6_K;
    toys[1].mixed_type = TensorType::kQ8_0;
    return toys;
  }
};

constexpr std::size_t kEveryKind[] = {20, 7, 7, 1};

TEST_F(MetalModel, LogitsBehindAPromptAreThoseOfDoublePrecision) {
  for (const TensorType type : kTypes) expect_double_precision(gpu_toy(type), kEveryKind);
}

TEST_F(MetalModel, LayersOfMixedTypesAreThoseOfDoublePrecision) {
  for (const ToyModel& toy : mixed_toys()) expect_double_precision(toy, kEveryKind);
}

using DeepMetalModel = MetalModel;

TEST_F(DeepMetalModel, LogitsBehindAPromptInSlicesOfOneSizeAreThoseOfDoublePrecision) {
  for (const std::size_t slice : {1u, 7u, 33u}) {
    for (const TensorType type : kTypes) expect_double_precision(gpu_toy(type), std::span(&slice, 1));
    for (const ToyModel& toy : mixed_toys()) expect_double_precision(toy, std::span(&slice, 1));
  }
}

TEST_F(MetalModel, BiasesAndTheOtherOrderOfRotationsAreSeenTo) {
  ToyModel toy = gpu_toy();
  toy.architecture = "qwen2";
  toy.biases = true;
  for (const std::size_t slice : {5u, 40u}) {
    ToyPass metal(toy, 256, metal_device());
    const std::vector<TokenId> tokens = random_tokens(40, metal.hyperparameters.vocabulary, 4);
    EXPECT_LE(relative_error(metal.prefill(tokens, slice), straight_forward(*metal.file, tokens)), 2e-3);
  }
}

TEST_F(MetalModel, NormsOfQueriesAndKeysAreSeenTo) {
  ToyModel toy = gpu_toy();
  toy.architecture = "qwen3";
  toy.head_norms = true;
  for (const std::size_t slice : {1u, 5u, 40u}) {
    ToyPass metal(toy, 256, metal_device());
    const std::vector<TokenId> tokens = random_tokens(40, metal.hyperparameters.vocabulary, 4);
    EXPECT_LE(relative_error(metal.prefill(tokens, slice), straight_forward(*metal.file, tokens)), 2e-3);
  }
}

// Listed factors, multipliers, norms behind: what other families than llama ask for.
TEST_F(MetalModel, ScaledPositionsMultipliersAndNormsBehindAreSeenTo) {
  std::vector<ToyModel> toys(3, gpu_toy());
  toys[0].rope_factors.assign(32, 8.0f);
  std::fill_n(toys[0].rope_factors.begin(), 8, 1.0f);
  toys[1].architecture = "granite";
  toys[1].also = [](GgufWriter& writer) {
    writer.add("granite.embedding_scale", 1.5f).add("granite.residual_scale", 0.5f);
    writer.add("granite.attention.scale", 0.1f).add("granite.logit_scale", 6.0f);
  };
  toys[2].architecture = "olmo2";
  toys[2].post_norms = true;
  toys[2].tied = false;
  for (const ToyModel& toy : toys) {
    for (const std::size_t slice : {1u, 5u, 40u}) {
      SCOPED_TRACE(toy.architecture + ", slices of " + std::to_string(slice));
      ToyPass metal(toy, 256, metal_device());
      const std::vector<TokenId> tokens = random_tokens(40, metal.hyperparameters.vocabulary, 4);
      EXPECT_LE(relative_error(metal.prefill(tokens, slice), straight_forward(*metal.file, tokens)), 2e-3);
    }
  }
}

TEST_F(MetalModel, VerificationOfSeveralTokensGivesTheBitsOfSingleOnes) {
  ToyPass batch(gpu_toy(TensorType::kQ4_0), 256, metal_device()),
      single(gpu_toy(TensorType::kQ4_0), 256, metal_device());
  const std::vector<TokenId> tokens = random_tokens(20 + kVerifyRows, batch.hyperparameters.vocabulary, 8);
  const std::span<const TokenId> prompt = std::span(tokens).first(20), draft = std::span(tokens).subspan(20);
  batch.prefill(prompt);
  single.prefill(prompt);
  std::vector<std::vector<float>> expected;
  for (std::uint32_t i = 0; i < kVerifyRows; ++i) {
    take(single.pass->decode(draft[i], 20 + i, nullptr));
    expected.push_back(single.logits());
  }
  for (std::uint32_t rows = 1; rows <= kVerifyRows; ++rows) {
    take(batch.pass->verify(draft.first(rows), 20, nullptr));
    for (std::uint32_t row = 0; row < rows; ++row)
      ASSERT_EQ(batch.logits(row), expected[row]) << rows << " rows, row " << row;
  }
}

// The two sides round differently, so the ids can only be equal where the best token is ahead by more than
// that. Unchecked, as all that is long: what kernels read and write is looked at above.
TEST_F(MetalModel, GreedyIdsAreThoseOfTheCpuEngine) {
  constexpr std::uint32_t kSteps = 200;
  ToyModel toy = gpu_toy();
  toy.output_scale = 8;
  ToyPass metal(toy, 256, metal_device(unchecked_kernels())), cpu(toy, 256, float_cpu());
  const TokenId first = 9;
  std::vector<TokenId> expected;
  double margin = 1e9, error = 0;
  for (TokenId token = first; expected.size() < kSteps;) {
    const auto position = static_cast<std::uint32_t>(expected.size());
    take(cpu.pass->decode(token, position, nullptr));
    take(metal.pass->decode(token, position, nullptr));
    std::vector<float> logits = cpu.logits(), others = metal.logits();
    for (std::size_t i = 0; i < logits.size(); ++i)
      error = std::max(error, std::abs(static_cast<double>(logits[i]) - others[i]));
    token = static_cast<TokenId>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    expected.push_back(token);
    std::nth_element(logits.begin(), logits.begin() + 1, logits.end(), std::greater<>());
    margin = std::min<double>(margin, logits[0] - logits[1]);
  }
  EXPECT_GT(margin, 2 * error) << "this toy cannot tell anything";
  const std::uint32_t whole[] = {64, 64, 64, 8}, growing[] = {1, 2, 4, 8, 16, 32, 64, 64, 9};
  const ChainRequest request{.position = 0, .steps = kSteps, .stop = {}};
  EXPECT_EQ(run_chain(*metal.pass, first, request, whole), expected);
  EXPECT_EQ(run_chain(*metal.pass, first, request, growing), expected);
}

TEST_F(MetalModel, ASampledChainDependsOnTheSeedAndNotOnItsChunks) {
  ToyPass metal(gpu_toy(TensorType::kQ8_0), 256, metal_device());
  ASSERT_TRUE(metal.pass->samples());
  const std::vector<TokenId> prompt = random_tokens(8, metal.hyperparameters.vocabulary, 5);
  metal.prefill(prompt);
  const auto run = [&](std::uint32_t seed, std::span<const std::uint32_t> chunks) {
    const SamplingBlock sampling{.temperature = 1,
                                 .top_p = 1,
                                 .min_p = 0,
                                 .repeat_penalty = 1.1f,
                                 .top_k = 0,
                                 .penalty_window = 64,
                                 .seed_low = seed,
                                 .seed_high = 0};
    return run_chain(*metal.pass, 3,
                     {.position = 8, .steps = 40, .stop = {}, .cancel = nullptr, .sampling = &sampling},
                     chunks);
  };
  const std::uint32_t whole[] = {40}, pieces[] = {1, 3, 12, 24};
  const std::vector<TokenId> drawn = run(17, whole);
  EXPECT_EQ(drawn.size(), 40u);
  EXPECT_EQ(run(17, pieces), drawn);
  EXPECT_NE(run(18, whole), drawn);
}

}  // namespace
}  // namespace emberline::testing
