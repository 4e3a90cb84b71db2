// The tables against the straight-line forward pass, and against one another.
#include "model/forward_pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "device/cpu/cpu_device.h"
#include "straight_forward.h"
#include "toy_pass.h"

namespace emberline::testing {
namespace {

// The cache rounds keys and values to 11 bits (2^-11 = 4.9e-4 each at worst, errors that mostly cancel over a
// head); the rest is float32 or better.
constexpr double kTolerance = 2e-3;

struct NamedToy {
  const char* name;
  ToyModel toy;
};

std::vector<NamedToy> toys() {
  std::vector<NamedToy> toys;
  toys.push_back({"Llama", {}});
  ToyModel toy;
  toy.architecture = "qwen2";
  toy.biases = true;
  toys.push_back({"Qwen2", toy});
  toy = {};
  toy.architecture = "qwen3";
  toy.head_norms = true;
  toy.head_width = 32;  // the heads together are wider than the model
  toys.push_back({"Qwen3", toy});
  toy = {};
  toy.architecture = "granite";
  toy.also = [](GgufWriter& writer) {
    writer.add("granite.embedding_scale", 1.5f).add("granite.residual_scale", 0.5f);
    writer.add("granite.attention.scale", 0.1f).add("granite.logit_scale", 6.0f);
  };
  toys.push_back({"Granite", toy});
  toy = {};
  toy.architecture = "olmo2";
  toy.post_norms = true;
  toys.push_back({"Olmo2", toy});
  toy = {};
  toy.architecture = "exaone";
  toy.rope_factors = {1, 1, 1, 1.25f, 2.5f, 8, 8, 8};
  toys.push_back({"Exaone", toy});
  for (const TensorType type : {TensorType::kF32, TensorType::kQ4_0}) {
    toy = {};
    toy.architecture = "phi3";
    toy.fused = true;
    toy.type = type;
    toys.push_back({type == TensorType::kF32 ? "Phi3" : "Phi3Quantised", toy});
  }
  for (const TensorType type : {TensorType::kF32, TensorType::kQ5_1}) {
    toy = {};
    toy.architecture = "qwen3moe";
    toy.head_norms = true;
    toy.type = type;
    toy.experts = 8;
    toy.experts_used = 3;
    toy.expert_hidden = 64;
    toys.push_back({type == TensorType::kF32 ? "Qwen3Moe" : "Qwen3MoeQuantised", toy});
  }
  for (const std::uint32_t shared : {0u, 112u}) {
    toy = {};
    toy.architecture = "granitemoe";
    toy.experts = 6;
    toy.experts_used = 4;
    toy.shared_hidden = shared;
    toy.also = [](GgufWriter& writer) {
      writer.add("granitemoe.residual_scale", 0.5f).add("granitemoe.embedding_scale", 1.5f);
      writer.add("granitemoe.expert_weights_scale", 1.75f);
    };
    toys.push_back({shared == 0 ? "GraniteMoe" : "GraniteMoeShared", toy});
  }
  toy = {};
  toy.architecture = "olmoe";
  toy.wide_norms = true;
  toy.experts = 8;
  toy.experts_used = 3;
  toys.push_back({"Olmoe", toy});
  toy = {};
  toy.experts = 4;
  toy.experts_used = 2;
  toys.push_back({"Mixtral", toy});
  toy = {};
  toy.architecture = "gemma";
  toy.head_width = 32;
  toys.push_back({"Gemma", toy});
  // Prompts are longer than the windows.
  toy = {};
  toy.architecture = "gemma2";
  toy.norms_on_both_sides = true;
  toy.layers = 3;
  toy.also = [](GgufWriter& writer) {
    writer.add("gemma2.attention.sliding_window", std::uint32_t{5});
    writer.add("gemma2.attn_logit_softcapping", 2.0f).add("gemma2.final_logit_softcapping", 8.0f);
  };
  toys.push_back({"Gemma2", toy});
  toy = {};
  toy.architecture = "gemma3";
  toy.norms_on_both_sides = toy.head_norms = true;
  toy.layers = 7;
  toy.rope_theta = 1e6f;
  toy.also = [](GgufWriter& writer) {
    writer.add("gemma3.attention.sliding_window", std::uint32_t{5});
    writer.add("gemma3.rope.scaling.type", "linear").add("gemma3.rope.scaling.factor", 8.0f);
  };
  toys.push_back({"Gemma3", toy});
  toy = {};
  toy.architecture = "starcoder2";
  toy.layer_norms = true;
  toys.push_back({"StarCoder2", toy});
  toy = {};
  toy.architecture = "smollm3";
  toy.layers = 5;
  toys.push_back({"SmolLm3", toy});
  // Layers without positions have no temperature of scaled ones.
  toy.head_width = 32;
  toy.also = [](GgufWriter& writer) {
    writer.add("smollm3.rope.scaling.type", "yarn").add("smollm3.rope.scaling.factor", 4.0f);
    writer.add("smollm3.rope.scaling.original_context_length", std::uint32_t{1024});
  };
  toys.push_back({"SmolLm3WithYarn", toy});
  toy = {};
  toy.architecture = "olmo2";
  toy.post_norms = true;
  toy.layers = 5;
  toy.also = [](GgufWriter& writer) { writer.add("olmo2.attention.sliding_window", std::uint32_t{5}); };
  toys.push_back({"Olmo3", toy});
  toy = {};
  toy.also = [](GgufWriter& writer) { writer.add("llama.attention.sliding_window", std::uint32_t{5}); };
  toys.push_back({"LlamaWithAWindow", toy});
  toy = {};
  toy.rope_factors = {1, 1, 1, 1.25f, 2.5f, 8, 8, 8};
  toys.push_back({"ListedRopeFactors", toy});
  toy = {};
  toy.also = [](GgufWriter& writer) {
    writer.add("llama.rope.scaling.type", "linear").add("llama.rope.scaling.factor", 4.0f);
  };
  toys.push_back({"LinearRopeScaling", toy});
  toy = {};
  toy.head_width = 32;
  toy.also = [](GgufWriter& writer) {
    writer.add("llama.rope.scaling.type", "yarn").add("llama.rope.scaling.factor", 4.0f);
    writer.add("llama.rope.scaling.original_context_length", std::uint32_t{1024});
  };
  toys.push_back({"Yarn", toy});
  // The context of a pass here is 256.
  for (const std::uint32_t first_length : {64u, 256u}) {
    for (const bool tells_factor : {false, true}) {
      toy = {};
      toy.architecture = "phi3";
      toy.fused = true;
      toy.rope_factors = {1, 1, 1, 1.125f, 1.25f, 1.5f, 2, 2};
      toy.long_rope_factors = {1, 1.125f, 1.25f, 2, 4, 16, 32, 64};
      toy.also = [first_length, tells_factor](GgufWriter& writer) {
        writer.add("phi3.rope.scaling.original_context_length", first_length);
        if (tells_factor) writer.add("phi3.rope.scaling.attn_factor", 1.375f);
      };
      toys.push_back({first_length == 64 ? tells_factor ? "LongRopeThatTellsItsFactor" : "LongRope"
                      : tells_factor     ? "LongRopeWithinThatTellsItsFactor"
                                         : "LongRopeWithin",
                      toy});
    }
  }
  toy = {};
  toy.tied = false;
  toys.push_back({"SeparateOutput", toy});
  toy = {};
  toy.biases = true;
  toys.push_back({"LlamaWithBiases", toy});
  toy = {};
  toy.kv_heads = toy.heads;
  toys.push_back({"OneKvHeadAQueryHead", toy});
  toy = {};
  toy.kv_heads = 1;
  toy.heads = 3;
  toy.head_width = 32;
  toys.push_back({"HeadsWiderThanTheModel", toy});
  toy = {};
  toy.layers = 1;
  toys.push_back({"OneLayer", toy});
  for (const TensorType type : {TensorType::kF16, TensorType::kBF16, TensorType::kQ4_0, TensorType::kQ4_1,
                                TensorType::kQ5_0, TensorType::kQ5_1, TensorType::kQ8_0}) {
    toy = {};
    toy.type = type;
    toy.output_type = TensorType::kQ8_0;
    toys.push_back({traits(type).name, toy});
  }
  // As files call Q4_K_M: most in one type, the output matrix in another.
  for (const TensorType type :
       {TensorType::kQ2_K, TensorType::kQ3_K, TensorType::kQ4_K, TensorType::kQ5_K, TensorType::kQ6_K,
        TensorType::kIQ4_NL, TensorType::kIQ4_XS, TensorType::kMXFP4}) {
    toy = {};
    toy.type = type;
    toy.output_type = TensorType::kQ6_K;
    toy.width = toy.hidden = 256;
    toy.head_width = 256 / toy.heads;
    toys.push_back({traits(type).name, toy});
  }
  return toys;
}

// Of float32 weights no activation is quantised: the processor's tables, with its fused ops, have to be as
// exact.
void expect_the_same_on_the_processor(const ToyModel& description, std::span<const TokenId> tokens,
                                      std::span<const double> expected) {
  ToyPass toy(description, 256, take(make_cpu_device({.threads = 2})));
  EXPECT_LE(relative_error(toy.prefill(tokens), expected), kTolerance) << "the processor's prefill";
  take(toy.pass->verify(tokens, 0, nullptr));
  const std::vector<float> batch = toy.logits(static_cast<std::uint32_t>(tokens.size()) - 1);
  EXPECT_LE(relative_error(batch, expected), kTolerance) << "the processor's verification";
  for (std::uint32_t position = 0; position < tokens.size(); ++position) {
    take(toy.pass->decode(tokens[position], position, nullptr));
  }
  EXPECT_EQ(toy.logits(), batch) << "a row alone and in a batch";
}

class EveryToy : public ::testing::TestWithParam<NamedToy> {};

TEST_P(EveryToy, EveryTableGivesTheLogitsOfTheStraightForwardPass) {
  ToyPass toy(GetParam().toy);
  const std::vector<TokenId> tokens = random_tokens(12, toy.hyperparameters.vocabulary, 7);
  const auto expected = [&](std::size_t count) {
    return straight_forward(*toy.file, std::span(tokens).first(count));
  };
  const std::vector<double> last = expected(tokens.size());

  EXPECT_LE(relative_error(toy.prefill(tokens), last), kTolerance) << "prefill";

  take(toy.pass->verify(tokens, 0, nullptr));
  EXPECT_LE(relative_error(toy.logits(11), last), kTolerance) << "verify, last row";
  EXPECT_LE(relative_error(toy.logits(4), expected(5)), kTolerance) << "verify, row 4";
  EXPECT_LE(relative_error(toy.logits(0), expected(1)), kTolerance) << "verify, row 0";

  for (std::uint32_t position = 0; position < tokens.size(); ++position) {
    take(toy.pass->decode(tokens[position], position, nullptr));
  }
  EXPECT_LE(relative_error(toy.logits(), last), kTolerance) << "decode";

  if (GetParam().toy.type == TensorType::kF32) {
    expect_the_same_on_the_processor(GetParam().toy, tokens, last);
  }
}

INSTANTIATE_TEST_SUITE_P(Toys, EveryToy, ::testing::ValuesIn(toys()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ForwardPass, PrefillSlicesOfAnySizeGiveTheSameLogits) {
  ToyPass toy({});
  const std::vector<TokenId> tokens = random_tokens(kPrefillRows + 9, toy.hyperparameters.vocabulary, 3);
  const std::vector<float> whole = toy.prefill(tokens);
  const std::vector<double> expected(whole.begin(), whole.end());
  for (const std::size_t slice : {1u, 2u, 7u, 16u, 63u}) {
    EXPECT_LE(relative_error(toy.prefill(tokens, slice), expected), 1e-6) << "slices of " << slice;
  }
}

TEST(ForwardPass, ACancelledReplayDoesNothing) {
  ToyPass toy({});
  const std::atomic<bool> cancel{true};
  const std::vector<TokenId> tokens = {1, 2, 3};
  EXPECT_TRUE(take(toy.pass->prefill(tokens, 0, &cancel)).cancelled);
}

TEST(ForwardPass, TheLastLayerOfAPrefillWithoutLogitsEndsWithItsCacheRow) {
  const ToyPass toy({});
  const DispatchTable fill = toy.table(TableEnd::kKeysAndValues, kPrefillRows);
  EXPECT_EQ(fill.commands.back().op, Op::kRopeKvWrite);
  for (const TableEnd end :
       {TableEnd::kKeysAndValues, TableEnd::kLastRowLogits, TableEnd::kAllRowsLogits, TableEnd::kArgmax}) {
    const DispatchTable table = toy.table(end, 1);
    EXPECT_EQ(table.labels.size(), table.commands.size());
    for (const std::string& label : table.labels) EXPECT_FALSE(label.empty());
  }
}

TEST(ForwardPass, RowsOutsideTheContextAreAnError) {
  ToyPass toy({}, 16);
  const std::vector<TokenId> tokens(17, 1);
  EXPECT_EQ(toy.pass->prefill(tokens, 0, nullptr).code(), ErrorCode::kInternal);
  EXPECT_EQ(toy.pass->prefill({}, 0, nullptr).code(), ErrorCode::kInternal);
  EXPECT_EQ(toy.pass->decode(1, 16, nullptr).code(), ErrorCode::kInternal);
  EXPECT_EQ(toy.pass->begin_chain(1, {.position = 10, .steps = 7, .stop = {}}).code(), ErrorCode::kInternal);
  EXPECT_EQ(toy.pass->begin_chain(1, {.position = 0, .steps = 0, .stop = {}}).code(), ErrorCode::kInternal);
  EXPECT_TRUE(toy.pass->begin_chain(1, {.position = 10, .steps = 6, .stop = {}}).ok());
}

TEST(ForwardPass, ATokenOutsideTheVocabularyIsAnError) {
  ToyPass toy({});
  EXPECT_EQ(toy.pass->decode(toy.hyperparameters.vocabulary, 0, nullptr).code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace emberline::testing
