// What a model says it will ask of a device.
#include "model/device_needs.h"

#include <gtest/gtest.h>

#include "toy_pass.h"

namespace emberline::testing {
namespace {

ModelNeeds needs_of(const ToyModel& toy) {
  const ToyPass pass(toy);
  return device_needs(pass.hyperparameters, pass.weights);
}

TEST(DeviceNeeds, AreTypesHeadsAndGate) {
  ToyModel toy;
  toy.type = TensorType::kQ4_0;
  toy.output_type = TensorType::kQ8_0;
  const ModelNeeds needs = needs_of(toy);
  EXPECT_EQ(needs.layer_types, std::vector{TensorType::kQ4_0});
  EXPECT_EQ(needs.embedding_type, TensorType::kQ8_0);
  EXPECT_EQ(needs.output_type, TensorType::kQ8_0);
  EXPECT_EQ(needs.query_heads, 4u);
  EXPECT_EQ(needs.kv_heads, 2u);
  EXPECT_EQ(needs.head_width, 16u);
  EXPECT_EQ(needs.gate_activation, kGateSilu);
  EXPECT_FALSE(needs.qkv_biases);
  EXPECT_FALSE(needs.attention_output_bias);
  EXPECT_TRUE(needs == needs_of(toy));
}

TEST(DeviceNeeds, SayWhichBiasesThereAre) {
  ToyModel toy;
  toy.biases = true;
  const ModelNeeds needs = needs_of(toy);
  EXPECT_TRUE(needs.qkv_biases);
  EXPECT_FALSE(needs.attention_output_bias);
  EXPECT_FALSE(needs == needs_of(ToyModel()));
}

TEST(DeviceNeeds, SayThatThereAreExpertsAndTheirTypes) {
  ToyModel toy;
  toy.type = TensorType::kQ8_0;
  EXPECT_FALSE(needs_of(toy).experts);
  toy.experts = 4;
  toy.experts_used = 2;
  const ModelNeeds needs = needs_of(toy);
  EXPECT_TRUE(needs.experts);
  EXPECT_EQ(needs.layer_types, (std::vector{TensorType::kQ8_0, TensorType::kF32})) << "a router's is F32";
}

TEST(DeviceNeeds, SayWhichTypesMeetInOneAttentionAndWhetherPositionsAreScaled) {
  ToyModel toy;
  EXPECT_TRUE(needs_of(toy).mixed_qkv_types.empty());
  EXPECT_FALSE(needs_of(toy).rope_factors);
  toy.layers = 3;
  toy.mixed_type = TensorType::kF16;
  toy.rope_factors.assign(8, 2.0f);
  const ModelNeeds needs = needs_of(toy);
  EXPECT_EQ(needs.mixed_qkv_types, (std::vector<QkvTypes>{{TensorType::kF32, TensorType::kF16}}));
  EXPECT_EQ(needs.layer_types, (std::vector{TensorType::kF32, TensorType::kF16}));
  EXPECT_TRUE(needs.rope_factors);
}

}  // namespace
}  // namespace emberline::testing
