// What a model file must say: hyperparameters and weights, and the error for every way of saying it wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "model/hyperparameters.h"
#include "model/weights.h"
#include "toy_pass.h"

namespace emberline::testing {
namespace {

TEST(ModelFile, HyperparametersComeFromTheMetadata) {
  ToyModel toy;
  toy.rope_theta = 5e5f;
  toy.padding_rows = 3;
  const ToyPass pass(toy);
  const Hyperparameters& h = pass.hyperparameters;
  EXPECT_EQ(h.architecture->name, "llama");
  EXPECT_EQ(h.layers, 2u);
  EXPECT_EQ(h.width, 64u);
  EXPECT_EQ(h.hidden, 96u);
  EXPECT_EQ(h.query_heads, 4u);
  EXPECT_EQ(h.kv_heads, 2u);
  EXPECT_EQ(h.head_width, 16u);
  EXPECT_EQ(h.rotary_width, 16u);
  EXPECT_EQ(h.context_length, 256u);
  EXPECT_EQ(h.vocabulary, toy.vocabulary());
  EXPECT_EQ(h.rope_theta, 5e5f);
  EXPECT_EQ(h.norm_epsilon, 1e-5f);
}

TEST(ModelFile, OptionalKeysHaveTheirDefaults) {
  ToyModel toy;
  toy.kv_heads = toy.heads;
  toy.without = {"llama.attention.head_count_kv", "llama.attention.key_length", "llama.rope.dimension_count",
                 "llama.rope.freq_base"};
  const ToyPass pass(toy);
  EXPECT_EQ(pass.hyperparameters.kv_heads, 4u);
  EXPECT_EQ(pass.hyperparameters.head_width, 16u);
  EXPECT_EQ(pass.hyperparameters.rotary_width, 16u);
  EXPECT_EQ(pass.hyperparameters.rope_theta, 10000.0f);
}

TEST(ModelFile, WeightsLieInTheMapping) {
  const ToyPass pass({});
  const GgufTensor* down = pass.file->tensor("blk.1.ffn_down.weight");
  EXPECT_EQ(pass.weights.layers[1].down.data.data(), down->data.data());
  EXPECT_EQ(pass.weights.layers[1].down.rows, pass.hyperparameters.width);
  EXPECT_EQ(pass.weights.layers[1].down.columns, pass.hyperparameters.hidden);
  EXPECT_EQ(pass.weights.output.index, pass.weights.token_embedding.index) << "tied";
  EXPECT_FALSE(pass.weights.layers[0].query_bias.present);
}

TEST(ModelFile, EveryRequiredKeyIsAskedForByName) {
  for (const char* key :
       {"general.architecture", "llama.block_count", "llama.embedding_length", "llama.feed_forward_length",
        "llama.context_length", "llama.attention.head_count", "llama.attention.layer_norm_rms_epsilon"}) {
    ToyModel toy;
    toy.without = {key};
    const Status status = read_toy(toy);
    EXPECT_EQ(status.code(), ErrorCode::kModelMetadataMissing) << key;
    EXPECT_NE(status.message().find(key), std::string::npos) << status.message();
  }
}

TEST(ModelFile, NumbersOutOfRangeAreInvalid) {
  const std::pair<const char*, std::uint32_t> wrong[] = {
      {"llama.block_count", 0},
      {"llama.block_count", 0xFFFFFFFF},
      {"llama.embedding_length", 0},
      {"llama.feed_forward_length", 0},
      {"llama.context_length", 0},
      {"llama.attention.head_count", 0},
      {"llama.attention.head_count_kv", 0},
      {"llama.attention.head_count_kv", 3},  // does not divide 4
      {"llama.attention.key_length", 15},    // odd
      {"llama.attention.key_length", 1u << 20},
      {"llama.rope.dimension_count", 18},  // more than a head
      {"llama.rope.dimension_count", 7},   // odd
  };
  for (const auto& [key, value] : wrong) {
    ToyModel toy;
    toy.numbers[key] = value;
    EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelMetadataInvalid) << key << " = " << value;
  }
}

TEST(ModelFile, RealNumbersMustBeInRange) {
  for (const float value : {0.0f, -1.0f, 1e30f, std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()}) {
    ToyModel toy;
    toy.without = {"llama.rope.freq_base"};
    toy.also = [&](GgufWriter& writer) { writer.add("llama.rope.freq_base", value); };
    EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelMetadataInvalid) << value;
    toy.without = {"llama.attention.layer_norm_rms_epsilon"};
    toy.also = [&](GgufWriter& writer) { writer.add("llama.attention.layer_norm_rms_epsilon", value); };
    EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelMetadataInvalid) << value;
  }
}

TEST(ModelFile, AValueOfAnotherTypeIsInvalid) {
  ToyModel toy;
  toy.without = {"llama.block_count"};
  toy.also = [](GgufWriter& writer) { writer.add("llama.block_count", "two"); };
  EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelMetadataInvalid);
  toy.also = [](GgufWriter& writer) { writer.add("llama.block_count", std::vector<std::uint32_t>{2, 2}); };
  EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelMetadataInvalid);
}

TEST(ModelFile, AnUnknownArchitectureIsNamed) {
  ToyModel toy;
  toy.architecture = "mamba";
  const Status status = read_toy(toy);
  EXPECT_EQ(status.code(), ErrorCode::kModelArchitectureUnsupported);
  EXPECT_NE(status.message().find("mamba"), std::string::npos);
  EXPECT_NE(status.message().find("llama"), std::string::npos);
}

TEST(ModelFile, VariantsWithOtherArithmeticAreRefused) {
  using Change = void (*)(GgufWriter&);
  const Change variants[] = {
      [](GgufWriter& w) { w.add("llama.rope.scaling.type", "dynamic"); },
      [](GgufWriter& w) {
        w.add("llama.rope.scaling.type", "longrope").add("llama.attention.sliding_window", std::uint32_t{64});
      },
      [](GgufWriter& w) {
        w.add("llama.rope.scaling.type", "yarn").add("llama.rope.scaling.yarn_log_multiplier", 0.1f);
      },
      [](GgufWriter& w) { w.add("llama.attention.value_length", std::uint32_t{32}); },
      [](GgufWriter& w) { w.add("llama.logit_scale", 6.0f); },
      [](GgufWriter& w) {
        w.add("llama.attention.sliding_window", std::uint32_t{64}).add("llama.rope.scaling.factor", 4.0f);
      },
      [](GgufWriter& w) {
        w.add("llama.attention.sliding_window", std::uint32_t{64});
        w.add("llama.attention.sliding_window_pattern", std::vector<std::uint32_t>{1, 0});
      },
      [](GgufWriter& w) { w.add_tensor("blk.0.attn_q_norm.weight", {16}, std::vector<float>(16, 1.0f)); },
      [](GgufWriter& w) { w.add_tensor("blk.2.attn_norm.weight", {64}, std::vector<float>(64, 1.0f)); },
      [](GgufWriter& w) { w.add_tensor("blk.00.attn_norm.weight", {64}, std::vector<float>(64, 1.0f)); },
  };
  for (std::size_t i = 0; i < std::size(variants); ++i) {
    ToyModel toy;
    toy.also = variants[i];
    EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelArchitectureUnsupported) << "variant " << i;
  }
}

TEST(ModelFile, RopeScalingBecomesFactors) {
  using Change = void (*)(GgufWriter&);
  const auto factors = [](Change change) {
    ToyModel toy;
    toy.also = change;
    return ToyPass(toy).weights.rope_factors;
  };
  EXPECT_TRUE(factors([](GgufWriter&) {}).empty());
  const std::vector<float> fours(8, 4.0f);
  EXPECT_EQ(factors([](GgufWriter& w) {
              w.add("llama.rope.scaling.type", "linear").add("llama.rope.scaling.factor", 4.0f);
            }),
            fours);
  EXPECT_EQ(factors([](GgufWriter& w) { w.add("llama.rope.scaling.factor", 4.0f); }), fours);
  EXPECT_EQ(factors([](GgufWriter& w) { w.add("llama.rope.scale_linear", 4.0f); }), fours);
  const std::vector<float> yarn = factors(
      [](GgufWriter& w) { w.add("llama.rope.scaling.type", "yarn").add("llama.rope.scaling.factor", 4.0f); });
  EXPECT_EQ(yarn.front(), 1.0f) << "the fastest pair is left alone";
  EXPECT_EQ(yarn.back(), 4.0f) << "the slowest is scaled wholly";
  EXPECT_TRUE(std::is_sorted(yarn.begin(), yarn.end()));
}

TEST(ModelFile, GraniteHasMultipliers) {
  ToyModel toy;
  toy.architecture = "granite";
  toy.also = [](GgufWriter& writer) {
    writer.add("granite.embedding_scale", 12.0f).add("granite.residual_scale", 0.25f);
    writer.add("granite.logit_scale", 8.0f).add("granite.attention.scale", 0.0f);
  };
  const ToyPass pass(toy);
  EXPECT_EQ(pass.hyperparameters.multipliers.embedding, 12.0f);
  EXPECT_EQ(pass.hyperparameters.multipliers.residual, 0.25f);
  EXPECT_EQ(pass.hyperparameters.multipliers.attention, 0.0f) << "none";
  EXPECT_EQ(pass.hyperparameters.multipliers.logit_divisor, 8.0f);
  for (const float wrong : {-1.0f, 1e-9f, std::numeric_limits<float>::infinity()}) {
    toy.also = [wrong](GgufWriter& writer) { writer.add("granite.residual_scale", wrong); };
    EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelMetadataInvalid) << wrong;
  }
  toy.also = [](GgufWriter& writer) { writer.add("granite.rope.scaling.finetuned", false); };
  EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelArchitectureUnsupported);
}

TEST(ModelFile, ListedRopeFactorsMustBePositive) {
  for (const float wrong : {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN()}) {
    ToyModel toy;
    toy.rope_factors = {1, 1, 1, 1, 1, 1, wrong, 1};
    EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelTensorShape) << wrong;
  }
}

TEST(ModelFile, ASlidingWindowIsThatOfLocalLayers) {
  ToyModel toy;
  toy.layers = 7;
  const auto windows = [&toy](const std::string& family, const ToyModel& other) {
    toy.architecture = family;
    toy.head_norms = other.head_norms;
    toy.norms_on_both_sides = other.norms_on_both_sides;
    toy.also = other.also;
    const ToyPass pass(toy, 16);
    std::vector<std::uint32_t> windows;
    for (std::uint32_t layer = 0; layer < toy.layers; ++layer)
      windows.push_back(pass.hyperparameters.positions(layer).window);
    EXPECT_EQ(pass.hyperparameters.context_length, 256u);
    return windows;
  };
  using Windows = std::vector<std::uint32_t>;
  ToyModel with_window, both_sides;
  with_window.also = [&toy](GgufWriter& w) {
    w.add(toy.architecture + ".attention.sliding_window", std::uint32_t{24});
  };
  EXPECT_EQ(windows("llama", {}), Windows(7, 0));
  EXPECT_EQ(windows("llama", with_window), Windows(7, 24));
  both_sides.norms_on_both_sides = true;
  EXPECT_EQ(windows("gemma2", both_sides), (Windows{4096, 0, 4096, 0, 4096, 0, 4096}));
  both_sides.also = with_window.also;
  EXPECT_EQ(windows("gemma2", both_sides), (Windows{24, 0, 24, 0, 24, 0, 24}));
  both_sides.head_norms = true;
  EXPECT_EQ(windows("gemma3", both_sides), (Windows{24, 24, 24, 24, 24, 0, 24}));
  both_sides.also = [](GgufWriter& w) {
    w.add("gemma3.attention.sliding_window", std::uint32_t{24});
    w.add("gemma3.attention.sliding_window_pattern", std::uint32_t{3});
  };
  EXPECT_EQ(windows("gemma3", both_sides), (Windows{24, 24, 0, 24, 24, 0, 24}));
  both_sides.also = [](GgufWriter& w) {
    w.add("gemma3.attention.sliding_window", std::uint32_t{24});
    w.add("gemma3.attention.sliding_window_pattern", std::uint32_t{1});
  };
  EXPECT_EQ(windows("gemma3", both_sides), Windows(7, 0));
}

TEST(ModelFile, LocalLayersOfGemma3HavePositionsOfTheirOwn) {
  ToyModel toy;
  toy.architecture = "gemma3";
  toy.layers = 6;
  toy.head_norms = toy.norms_on_both_sides = true;
  toy.rope_theta = 1e6f;
  toy.also = [](GgufWriter& w) {
    w.add("gemma3.attention.sliding_window", std::uint32_t{24});
    w.add("gemma3.rope.scaling.type", "linear").add("gemma3.rope.scaling.factor", 8.0f);
  };
  const ToyPass pass(toy, 16);
  const LayerPositions local = pass.hyperparameters.positions(4), global = pass.hyperparameters.positions(5);
  EXPECT_EQ(local.rope_theta, 10000.0f);
  EXPECT_EQ(global.rope_theta, 1e6f);
  EXPECT_FALSE(local.scaled);
  EXPECT_TRUE(global.scaled);
  EXPECT_EQ(pass.weights.rope_factors, std::vector<float>(8, 8.0f));
  toy.also = [](GgufWriter& w) {
    w.add("gemma3.attention.sliding_window", std::uint32_t{24});
    w.add("gemma3.rope.freq_base_swa", 5000.0f);
  };
  EXPECT_EQ(ToyPass(toy, 16).hyperparameters.positions(0).rope_theta, 5000.0f);
}

TEST(ModelFile, TheLargestGemmasScaleScoresByTheirWidth) {
  for (const auto& [family, layers] : {std::pair{"gemma2", 46u}, {"gemma3", 62u}}) {
    ToyModel toy;
    toy.architecture = family;
    toy.width = 96;
    toy.head_norms = toy.architecture == "gemma3";
    toy.norms_on_both_sides = true;
    toy.layers = layers;
    EXPECT_EQ(ToyPass(toy, 16).hyperparameters.score_scale(), 1.0f / std::sqrt(24.0f)) << family;
    toy.layers = layers - 1;
    EXPECT_EQ(ToyPass(toy, 16).hyperparameters.score_scale(), 0.25f) << family;
  }
}

TEST(ModelFile, EveryFourthLayerOfSmolLm3HasNoPositions) {
  ToyModel toy;
  toy.architecture = "smollm3";
  toy.layers = 8;
  const ToyPass pass(toy, 16);
  for (std::uint32_t layer = 0; layer < toy.layers; ++layer)
    EXPECT_EQ(pass.hyperparameters.positions(layer).rotated, layer != 3 && layer != 7) << layer;
}

TEST(ModelFile, StarCoder2NeedsTheBiasesOfItsNorms) {
  ToyModel toy;
  toy.architecture = "starcoder2";
  toy.layer_norms = true;
  EXPECT_TRUE(read_toy(toy).ok()) << read_toy(toy).message();
  for (const char* name : {"blk.1.ffn_norm.bias", "output_norm.bias"}) {
    ToyModel wrong = toy;
    wrong.without = {name};
    EXPECT_EQ(read_toy(wrong).code(), ErrorCode::kModelTensorMissing) << name;
  }
}

TEST(ModelFile, ScalingThatScalesNothingIsAccepted) {
  ToyModel toy;
  toy.also = [](GgufWriter& writer) {
    writer.add("llama.rope.scaling.type", "linear").add("llama.rope.scaling.factor", 1.0f);
    writer.add("llama.expert_count", std::uint32_t{0}).add("llama.attention.value_length", std::uint32_t{16});
  };
  EXPECT_TRUE(read_toy(toy).ok()) << read_toy(toy).message();
}

TEST(ModelFile, EveryMissingTensorIsNamed) {
  for (const char* name :
       {"token_embd.weight", "output_norm.weight", "blk.0.attn_norm.weight", "blk.1.attn_q.weight",
        "blk.1.attn_k.weight", "blk.1.attn_v.weight", "blk.0.attn_output.weight", "blk.0.ffn_norm.weight",
        "blk.0.ffn_gate.weight", "blk.0.ffn_up.weight", "blk.1.ffn_down.weight"}) {
    ToyModel toy;
    toy.without = {name};
    const Status status = read_toy(toy);
    EXPECT_EQ(status.code(), ErrorCode::kModelTensorMissing) << name;
    EXPECT_NE(status.message().find(name), std::string::npos) << status.message();
  }
}

TEST(ModelFile, QwenNeedsItsBiases) {
  ToyModel toy;
  toy.architecture = "qwen2";
  EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelTensorMissing);
  toy.biases = true;
  EXPECT_TRUE(read_toy(toy).ok());
}

TEST(ModelFile, Qwen3NeedsItsNorms) {
  ToyModel toy;
  toy.architecture = "qwen3";
  EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelTensorMissing);
  toy.head_norms = true;
  EXPECT_TRUE(read_toy(toy).ok()) << read_toy(toy).message();
  toy.shapes["blk.0.attn_q_norm.weight"] = {toy.heads * toy.head_width};
  EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelTensorShape);
}

TEST(ModelFile, OneTensorMayHoldSeveralMatrices) {
  ToyModel toy;
  toy.architecture = "phi3";
  EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelTensorMissing) << "no attn_qkv";
  toy.fused = true;
  const ToyPass pass(toy);
  const LayerWeights& layer = pass.weights.layers[1];
  const auto all = pass.file->tensor("blk.1.attn_qkv.weight")->data;
  EXPECT_EQ(layer.query.data.data(), all.data());
  EXPECT_EQ(layer.key.data.data(), layer.query.data.data() + layer.query.data.size());
  EXPECT_EQ(layer.value.data.data() + layer.value.data.size(), all.data() + all.size());
  EXPECT_EQ(layer.up.data.data(), layer.gate.data.data() + layer.gate.data.size());
  for (const char* name : {"blk.0.attn_qkv.weight", "blk.0.ffn_up.weight"}) {
    ToyModel wrong = toy;
    wrong.shapes[name] = {toy.width, 64};
    EXPECT_EQ(read_toy(wrong).code(), ErrorCode::kModelTensorShape) << name;
  }
}

TEST(ModelFile, LongRopeHasTwoListsOfFactors) {
  ToyModel toy;
  toy.architecture = "phi3";
  toy.fused = true;
  toy.rope_factors = std::vector<float>(8, 1.5f);
  toy.long_rope_factors = std::vector<float>(8, 4.0f);
  toy.also = [](GgufWriter& w) {
    // As long as Phi 3's: longer than the context.
    w.add("phi3.rope.scaling.original_context_length", std::uint32_t{64});
    w.add("phi3.attention.sliding_window", std::uint32_t{512});
  };
  const ToyPass pass(toy);
  EXPECT_EQ(pass.weights.rope_factors, toy.rope_factors);
  EXPECT_EQ(pass.weights.long_rope_factors, toy.long_rope_factors);
  const RopeScaling& scaling = pass.hyperparameters.rope_scaling;
  EXPECT_EQ(scaling.kind, RopeScalingKind::kLongRope);
  // 256 is four times 64, which is its cube root of 64: sqrt(1 + 1/3).
  EXPECT_FLOAT_EQ(scaling.attention_factor, std::sqrt(4.0f / 3.0f));
  EXPECT_FLOAT_EQ(rope_attention_factor(scaling), 4.0f / 3.0f);

  ToyModel broken = toy;
  broken.rope_factors = {};
  EXPECT_EQ(read_toy(broken).code(), ErrorCode::kModelTensorMissing) << "no short ones";
  broken = toy;
  broken.long_rope_factors = std::vector<float>(8, -1.0f);
  const Status negative = read_toy(broken);
  EXPECT_EQ(negative.code(), ErrorCode::kModelTensorShape);
  EXPECT_NE(negative.message().find("rope_factors_long.weight"), std::string::npos);
  broken = toy;
  broken.long_rope_factors = std::vector<float>(4, 4.0f);
  EXPECT_EQ(read_toy(broken).code(), ErrorCode::kModelTensorShape) << "too few";
  broken = toy;
  broken.numbers["phi3.rope.dimension_count"] = 8;
  EXPECT_EQ(read_toy(broken).code(), ErrorCode::kModelArchitectureUnsupported) << "a part of each head";
  broken = toy;
  broken.also = [](GgufWriter& w) { w.add("phi3.rope.scaling.type", "none"); };
  EXPECT_EQ(read_toy(broken).code(), ErrorCode::kModelArchitectureUnsupported) << "lists nobody reads";
}

TEST(ModelFile, AShapeThatDisagreesWithTheMetadataIsAnError) {
  const std::pair<const char*, std::vector<std::uint64_t>> wrong[] = {
      {"blk.0.attn_q.weight", {32, 128}},  {"blk.0.attn_q.weight", {64, 32}},
      {"blk.0.attn_q.weight", {4096}},     {"blk.0.attn_q.weight", {64, 8, 8}},
      {"blk.1.attn_norm.weight", {32}},    {"blk.1.attn_norm.weight", {32, 2}},
      {"blk.1.ffn_down.weight", {64, 96}}, {"token_embd.weight", {32, 3}},
  };
  for (const auto& [name, shape] : wrong) {
    ToyModel toy;
    toy.shapes[name] = shape;
    EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelTensorShape) << name;
  }
}

TEST(ModelFile, ATensorTypeWithoutKernelsIsNamed) {
  ToyModel toy;
  toy.types["blk.1.ffn_up.weight"] = 19;  // IQ1_S
  const Status status = read_toy(toy);
  EXPECT_EQ(status.code(), ErrorCode::kModelTensorTypeUnsupported);
  EXPECT_NE(status.message().find("blk.1.ffn_up.weight is stored as type IQ1_S"), std::string::npos);

  toy = {};
  toy.types["blk.1.attn_norm.weight"] = static_cast<std::uint32_t>(TensorType::kF16);
  EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelTensorTypeUnsupported) << "gains are float32";
}

}  // namespace
}  // namespace emberline::testing
