// Model families that ask for windows, soft caps and norms on both sides on the GPU, against double precision
// and the CPU engine.
#include <string>

#include "model/family_toys.h"
#include "model_fixture.h"
#include "straight_forward.h"

namespace emberline::testing {
namespace {

class MetalFamilies : public GpuTest {};

ToyModel with_window(ToyModel toy, std::uint32_t window) {
  toy.also = [key = toy.architecture + ".attention.sliding_window", window](GgufWriter& writer) {
    writer.add(key, window);
  };
  return toy;
}

std::vector<double> as_doubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

// Windows of the gemmas have 48 positions, the others' as many as are said.
NamedToys local_families(std::uint32_t window) {
  NamedToys toys;
  for (ToyModel& gemma : gemmas()) toys.emplace_back(gemma.architecture, gemma);
  ToyModel gemma3 = gemmas().back();
  gemma3.type = TensorType::kQ4_0;
  gemma3.output_type = TensorType::kQ8_0;
  toys.emplace_back("gemma3, quantised", gemma3);
  ToyModel olmo3;
  olmo3.architecture = "olmo2";
  olmo3.post_norms = true;
  olmo3.tied = false;
  olmo3.layers = 5;
  toys.emplace_back("OLMo 3", with_window(olmo3, window));
  toys.emplace_back("Mistral 0.1", with_window({}, window));
  ToyModel phi3;
  phi3.architecture = "phi3";
  phi3.fused = true;
  toys.emplace_back("phi3", with_window(phi3, window));
  return toys;
}

// Prompts in slices, each of which crosses the start of some row's window.
void expect_double_precision_behind_windows(std::size_t slice) {
  for (const auto& [name, toy] : local_families(20)) {
    ToyPass metal(toy, 256, metal_device());
    const std::vector<TokenId> tokens = random_tokens(75, metal.hyperparameters.vocabulary, 3);
    EXPECT_LE(relative_error(metal.prefill(tokens, slice), straight_forward(*metal.file, tokens)), 2e-3)
        << name;
  }
}

// Of those that attention_decode takes together.
TEST_F(MetalFamilies, BehindTheirWindowsAreThoseOfDoublePrecision) {
  expect_double_precision_behind_windows(7);
}

using DeepMetalFamilies = MetalFamilies;

TEST_F(DeepMetalFamilies, BehindTheirWindowsAreThoseOfDoublePrecisionInSingleRows) {
  expect_double_precision_behind_windows(1);
}

TEST_F(DeepMetalFamilies, BehindTheirWindowsAreThoseOfDoublePrecisionInSlicesOfAttentionPrefill) {
  expect_double_precision_behind_windows(40);
}

TEST_F(MetalFamilies, AreThoseOfTheCpuEngine) {
  for (const auto& [name, toy] : local_families(20)) {
    ToyPass metal(toy, 256, metal_device()), cpu(toy, 256, float_cpu());
    const std::vector<TokenId> tokens = random_tokens(75, metal.hyperparameters.vocabulary, 3);
    // Where weights are quantised the processor rounds activations to 8 bits.
    EXPECT_LE(relative_error(metal.prefill(tokens), as_doubles(cpu.prefill(tokens))),
              toy.type == TensorType::kF32 ? 2e-3 : 5e-2)
        << name;
  }
}

TEST_F(MetalFamilies, TheirWindowsDecide) {
  const NamedToys toys = local_families(20), others = local_families(40);
  for (std::size_t i = 0; i < toys.size(); ++i) {
    const auto& [name, toy] = toys[i];
    if (toy.architecture.starts_with("gemma")) continue;
    ToyPass metal(toy, 256, metal_device()), sees_more(others[i].second, 256, metal_device());
    const std::vector<TokenId> tokens = random_tokens(75, metal.hyperparameters.vocabulary, 3);
    EXPECT_GT(relative_error(metal.prefill(tokens), as_doubles(sees_more.prefill(tokens))), 2e-2) << name;
  }
}

TEST_F(MetalFamilies, VerificationGivesTheBitsOfSingleTokens) {
  for (const ToyModel& toy : gemmas()) {
    SCOPED_TRACE(toy.architecture);
    ToyPass batch(toy, 256, metal_device()), single(toy, 256, metal_device());
    const std::vector<TokenId> tokens = random_tokens(60 + kVerifyRows, batch.hyperparameters.vocabulary, 8);
    const std::span<const TokenId> prompt = std::span(tokens).first(60),
                                   draft = std::span(tokens).subspan(60);
    batch.prefill(prompt);
    single.prefill(prompt);
    std::vector<std::vector<float>> expected;
    for (std::uint32_t i = 0; i < kVerifyRows; ++i) {
      take(single.pass->decode(draft[i], 60 + i, nullptr));
      expected.push_back(single.logits());
    }
    for (const std::uint32_t rows : {2u, 5u, kVerifyRows}) {
      take(batch.pass->verify(draft.first(rows), 60, nullptr));
      for (std::uint32_t row = 0; row < rows; ++row)
        ASSERT_EQ(batch.logits(row), expected[row]) << rows << " rows, row " << row;
    }
  }
}

}  // namespace
}  // namespace emberline::testing
