// Models whose feed-forward parts are mixtures of experts: what their files must say, and that neither
// batches nor threads change a logit.
#include <gtest/gtest.h>

#include <algorithm>

#include "device/cpu/cpu_device.h"
#include "toy_pass.h"

namespace emberline::testing {
namespace {

ToyModel experts_toy() {
  ToyModel toy;
  toy.architecture = "qwen3moe";
  toy.head_norms = true;
  toy.experts = 8;
  toy.experts_used = 3;
  toy.expert_hidden = 64;
  return toy;
}

TEST(ExpertModel, HyperparametersComeFromTheMetadata) {
  ToyModel toy = experts_toy();
  toy.also = [](GgufWriter& writer) { writer.add("qwen3moe.expert_weights_scale", 2.5f); };
  const ToyPass pass(toy);
  const Experts& experts = pass.hyperparameters.experts;
  EXPECT_EQ(experts.count, 8u);
  EXPECT_EQ(experts.used, 3u);
  EXPECT_EQ(experts.hidden, 64u);
  EXPECT_FALSE(experts.shared);
  EXPECT_EQ(experts.scale, 2.5f);
  EXPECT_EQ(pass.weights.layers[1].expert_down.rows, 8u * 64);
  EXPECT_EQ(pass.weights.layers[1].expert_down.columns, 64u);
  EXPECT_FALSE(pass.weights.layers[1].down.present);

  toy = experts_toy();
  toy.expert_hidden = 0;
  toy.shared_hidden = 48;
  toy.also = [](GgufWriter& writer) { writer.add("qwen3moe.expert_weights_scale", 0.0f); };
  const ToyPass shared(toy);
  EXPECT_EQ(shared.hyperparameters.experts.hidden, toy.hidden) << "as wide as a feed-forward part";
  EXPECT_TRUE(shared.hyperparameters.experts.shared);
  EXPECT_EQ(shared.hyperparameters.hidden, 48u);
  EXPECT_EQ(shared.hyperparameters.experts.scale, 1.0f) << "none";
}

// A router's choice between two experts that are nearly level hangs on what attention adds in front of it.
TEST(ExpertModel, AttentionsOutputIsRoundedFinely) {
  for (const bool with_experts : {true, false}) {
    const ToyPass toy(with_experts ? experts_toy() : ToyModel{});
    const DispatchTable table = toy.table(TableEnd::kArgmax, 1);
    const auto label = std::find(table.labels.begin(), table.labels.end(), "layer 1 attention output");
    ASSERT_NE(label, table.labels.end());
    const Command& command = table.commands[static_cast<std::size_t>(label - table.labels.begin())];
    EXPECT_EQ(command.get_params<MatMulParams>().fine_activations, with_experts ? 1u : 0u);
  }
}

TEST(ExpertModel, KeysAreAskedForByName) {
  for (const char* key : {"qwen3moe.expert_count", "qwen3moe.expert_used_count"}) {
    ToyModel toy = experts_toy();
    toy.without = {key};
    const Status status = read_toy(toy);
    EXPECT_EQ(status.code(), ErrorCode::kModelMetadataMissing) << key;
    EXPECT_NE(status.message().find(key), std::string::npos) << status.message();
  }
  for (const auto& [key, value] : {std::pair{"qwen3moe.expert_used_count", 9u},
                                   {"qwen3moe.expert_used_count", 0u},
                                   {"qwen3moe.expert_count", 0u},
                                   {"qwen3moe.expert_count", 100000u}}) {
    ToyModel toy = experts_toy();
    toy.numbers[key] = value;
    EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelMetadataInvalid) << key << " = " << value;
  }
}

TEST(ExpertModel, TensorsHaveTheShapesOfTheMetadata) {
  for (const char* name : {"blk.0.ffn_gate_inp.weight", "blk.1.ffn_gate_exps.weight",
                           "blk.0.ffn_up_exps.weight", "blk.1.ffn_down_exps.weight"}) {
    ToyModel toy = experts_toy();
    toy.without = {name};
    EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelTensorMissing) << name;
    toy = experts_toy();
    toy.shapes[name] = {64, 8};
    if (std::string(name).find("inp") != std::string::npos) toy.shapes[name] = {32, 16};
    EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelTensorShape) << name;
  }
  ToyModel toy = experts_toy();
  toy.expert_hidden = 48;
  toy.shapes["blk.1.ffn_down_exps.weight"] = {64, 48, 8};
  EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelTensorShape);
  toy = experts_toy();
  toy.types["blk.1.ffn_down_exps.weight"] = 19;
  EXPECT_EQ(read_toy(toy).code(), ErrorCode::kModelTensorTypeUnsupported);
}

TEST(ExpertModel, VariantsWithOtherArithmeticAreRefusedByName) {
  using Change = void (*)(GgufWriter&);
  const std::pair<Change, const char*> variants[] = {
      {[](GgufWriter& w) { w.add("qwen3moe.expert_gating_func", std::uint32_t{2}); }, "softmax"},
      {[](GgufWriter& w) { w.add("qwen3moe.expert_group_count", std::uint32_t{4}); }, "groups"},
      {[](GgufWriter& w) { w.add("qwen3moe.leading_dense_block_count", std::uint32_t{1}); }, "some layers"},
      {[](GgufWriter& w) { w.add("qwen3moe.interleave_moe_layer_step", std::uint32_t{2}); }, "some layers"},
      {[](GgufWriter& w) { w.add("qwen3moe.expert_weights_norm", false); }, "weights of experts"},
      {[](GgufWriter& w) { w.add_tensor("blk.0.exp_probs_b.bias", {8}, std::vector<float>(8, 1.0f)); },
       "exp_probs_b"},
  };
  for (const auto& [change, word] : variants) {
    ToyModel toy = experts_toy();
    toy.also = change;
    const Status status = read_toy(toy);
    EXPECT_EQ(status.code(), ErrorCode::kModelArchitectureUnsupported) << word;
    EXPECT_NE(status.message().find(word), std::string::npos) << status.message();
  }
  ToyModel toy = experts_toy();
  toy.expert_hidden = 40;
  EXPECT_NE(read_toy(toy).message().find("multiple of 16"), std::string::npos);
  toy = experts_toy();
  toy.also = [](GgufWriter& w) {
    w.add("qwen3moe.expert_gating_func", std::uint32_t{1}).add("qwen3moe.expert_weights_norm", true);
    w.add("qwen3moe.expert_group_count", std::uint32_t{1});
  };
  EXPECT_TRUE(read_toy(toy).ok()) << read_toy(toy).message();
}

// Which is not whether they are normed, but whether that is what the family does.
TEST(ExpertModel, WeightsAreNormedAsTheFamilyHasIt) {
  for (const bool normed : {false, true}) {
    ToyModel toy = experts_toy();
    toy.architecture = "olmoe";
    toy.head_norms = false;
    toy.wide_norms = true;
    toy.also = [normed](GgufWriter& w) { w.add("olmoe.expert_weights_norm", normed); };
    EXPECT_EQ(read_toy(toy).ok(), !normed);
  }
}

TEST(ExpertModel, OnlySomeFamiliesHaveExperts) {
  ToyModel toy;
  toy.experts = 4;
  toy.experts_used = 2;
  EXPECT_TRUE(read_toy(toy).ok()) << read_toy(toy).message();
  toy.architecture = "exaone";
  const Status status = read_toy(toy);
  EXPECT_EQ(status.code(), ErrorCode::kModelArchitectureUnsupported);
  EXPECT_NE(status.message().find("a mixture of experts"), std::string::npos) << status.message();
}

// On the processor, to the bit.
TEST(ExpertModel, NeitherSlicesNorThreadsChangeALogit) {
  for (const TensorType type : {TensorType::kF32, TensorType::kQ4_0, TensorType::kQ6_K}) {
    ToyModel toy = experts_toy();
    toy.type = type;
    if (type == TensorType::kQ6_K) {
      toy.width = toy.expert_hidden = 256;
      toy.head_width = 64;
      toy.output_type = TensorType::kQ6_K;
    }
    std::vector<float> expected;
    for (const int threads : {1, 2, 3}) {
      ToyPass pass(toy, 256, take(make_cpu_device({.threads = threads})));
      const auto tokens = random_tokens(kPrefillRows + 9, pass.hyperparameters.vocabulary, 3);
      for (const std::size_t slice : {64u, 1u, 2u, 7u, 16u, 63u}) {
        const std::vector<float> logits = pass.prefill(tokens, slice);
        if (expected.empty()) expected = logits;
        EXPECT_EQ(logits, expected) << threads << " threads, slices of " << slice;
      }
    }
  }
}

}  // namespace
}  // namespace emberline::testing
