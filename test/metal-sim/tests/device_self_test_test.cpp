// The self-test that decides whether the device is used.
#include "device_fixture.h"
#include "kinds_of_models.h"

namespace emberline::testing {
namespace {

TEST_F(SimulatedMac, PassesTheSelfTest) {
  const auto device = metal_device();
  ASSERT_NE(device, nullptr);
  for (const ModelNeeds& needs : kinds_of_models()) {
    const Status status = device->examine(needs);
    EXPECT_TRUE(status.ok()) << traits(needs.layer_types.front()).name << ": " << status.message();
  }
  EXPECT_STREQ(device->name(), "metal");
  EXPECT_EQ(device->description(), "metal, Apple M4 Pro, 20 GPU cores");
  EXPECT_TRUE(device->offers(Op::kGumbel, 1));
  EXPECT_FALSE(device->offers(Op::kGumbel, 2));
}

ModelNeeds needs() {
  return {{TensorType::kQ4_1}, TensorType::kQ8_0, TensorType::kQ8_0, 9, 3, 64, kGateSilu};
}

TEST_F(SimulatedMac, ExaminesWhatAModelNeedsAndNoMore) {
  const auto device = metal_device();
  metal_sim::clear_counts();
  const Status status = device->examine(needs());
  EXPECT_TRUE(status.ok()) << status.message();
  const metal_sim::Counts counts = metal_sim::counts();
  EXPECT_LE(counts.pipelines_compiled, 32u);
  for (const char* kernel :
       {"norm_gate_up_q4_1", "norm_qkv_rope_q4_1", "mat_vec_q4_1", "mat_mat_q4_1", "embedding_q8_0",
        "norm_mat_vec_q8_0", "attention_decode", "attention_prefill"}) {
    EXPECT_EQ(counts.kernels.count(kernel), 1u) << kernel;
  }
  EXPECT_EQ(counts.kernels.count("mat_vec_q5_0"), 0u);
  EXPECT_TRUE(device->offers(Op::kGumbel, 1));
}

// A draft model is often of the model's own kind.
TEST_F(SimulatedMac, DoesNotTestTwiceWhatHasPassed) {
  const auto device = metal_device();
  ASSERT_TRUE(device->examine(needs()).ok());
  metal_sim::clear_counts();
  EXPECT_TRUE(device->examine(needs()).ok());
  EXPECT_EQ(metal_sim::counts().dispatches, 0u);
  ModelNeeds other = needs();
  other.head_width = 128;
  EXPECT_TRUE(device->examine(other).ok());
  EXPECT_GT(metal_sim::counts().dispatches, 0u);
}

// Each instance for 1, 2, 4, 8 and 16 rows is a kernel of its own, and one of them may be wrong alone.
TEST_F(SimulatedMac, TestsTheKernelsForEveryNumberOfRows) {
  constexpr std::uint64_t kClasses = 5;
  for (const char* kernel :
       {"mat_vec_q4_1", "norm_gate_up_q4_1", "norm_qkv_rope_q4_1", "norm_mat_vec_q8_0"}) {
    SCOPED_TRACE(kernel);
    for (std::uint64_t instance = 0; instance <= kClasses; ++instance) {
      metal_sim::clear_injections();
      metal_sim::OperationFault no_pipeline;
      no_pipeline.operation = metal_sim::Operation::kPipeline;
      no_pipeline.kernel = kernel;
      no_pipeline.skip = instance;
      metal_sim::inject(no_pipeline);
      EXPECT_EQ(metal_device()->examine(needs()).ok(), instance == kClasses) << "instance " << instance;
    }
  }
}

// With biases products are other kernels.
TEST_F(SimulatedMac, TestsBiasesWhereTheModelHasThem) {
  const auto compiled = [](const ModelNeeds& needs) {
    const auto device = metal_device();
    metal_sim::clear_counts();
    EXPECT_TRUE(device->examine(needs).ok());
    return metal_sim::counts().pipelines_compiled;
  };
  ModelNeeds biased = needs();
  biased.qkv_biases = true;
  const std::uint64_t without = compiled(needs());
  EXPECT_EQ(compiled(biased), without + 1) << "of the parts of a large batch";
  biased.attention_output_bias = true;
  EXPECT_EQ(compiled(biased), without + 6);
}

// Other models have other commands around their norms, and none of those that llama has there.
TEST_F(SimulatedMac, TestsNormsWindowsAndCapsWhereTheModelHasThem) {
  const auto kernels = [](const ModelNeeds& needs) {
    const auto device = metal_device();
    metal_sim::clear_counts();
    const Status status = device->examine(needs);
    EXPECT_TRUE(status.ok()) << status.message();
    return metal_sim::counts().kernels;
  };
  const auto llama = kernels(needs());
  for (const char* kernel : {"norm_qkv_q4_1", "qk_norm_rope", "soft_cap"}) EXPECT_EQ(llama.count(kernel), 0u);
  ModelNeeds other = needs();
  other.qk_norms = other.norms_on_both_sides = other.window = other.score_cap = other.logit_cap = true;
  const auto gemma = kernels(other);
  for (const char* kernel : {"norm_qkv_q4_1", "qk_norm_rope", "soft_cap", "norm_gate_up_q4_1"})
    EXPECT_EQ(gemma.count(kernel), 1u) << kernel;
  EXPECT_EQ(gemma.count("norm_qkv_rope_q4_1"), 0u);
}

TEST_F(SimulatedMac, FindsOutWhenAModelNeedsAKernelThatIsWrong) {
  struct Wrong {
    const char* kernel;
    std::uint32_t output;
    const char* said;
  };
  for (const Wrong& wrong : {Wrong{"attention_decode", 6, "attention over heads of 64, 1 rows"},
                             {"mat_mat_q4_1", 5, "products of Q4_1 weights, 19 rows"}}) {
    // One byte of what it wrote.
    metal_sim::set_after_dispatch([wrong](const metal_sim::DispatchView& dispatch) {
      if (dispatch.kernel.find(wrong.kernel) != 0) return;
      for (const metal_sim::BoundBuffer& buffer : dispatch.buffers) {
        if (buffer.index == wrong.output) static_cast<std::uint8_t*>(buffer.data)[3] ^= 0x40;
      }
    });
    const Status status = metal_device()->examine(needs());
    EXPECT_EQ(status.code(), ErrorCode::kDeviceUnavailable);
    EXPECT_NE(status.message().find(wrong.said), std::string::npos) << status.message();
  }
}

// A kernel of another type may be as wrong as it likes.
TEST_F(SimulatedMac, DoesNotMindAKernelThatNoModelNeeds) {
  metal_sim::OperationFault no_pipeline;
  no_pipeline.operation = metal_sim::Operation::kPipeline;
  no_pipeline.kernel = "mat_vec_q5_0";
  metal_sim::inject(no_pipeline);
  EXPECT_TRUE(metal_device()->examine(needs()).ok());
}

TEST_F(SimulatedMac, TakesASamplerThatIsWrongOffTheOffer) {
  metal_sim::set_after_dispatch([](const metal_sim::DispatchView& dispatch) {
    if (dispatch.kernel.find("gumbel") != 0) return;
    for (const metal_sim::BoundBuffer& buffer : dispatch.buffers) {
      if (buffer.index == 5) static_cast<float*>(buffer.data)[4] += 0.5f;
    }
  });
  const auto device = metal_device();
  EXPECT_TRUE(device->offers(Op::kGumbel, 1));
  EXPECT_TRUE(device->examine(needs()).ok());
  EXPECT_FALSE(device->offers(Op::kGumbel, 1));
  EXPECT_TRUE(device->offers(Op::kNormGateUp, 1));
  EXPECT_NE(device->description().find("sampling on the CPU"), std::string::npos);
}

}  // namespace
}  // namespace emberline::testing
