// Where a GPU fails, the device "auto" is the CPU, and the model says why.
#include <limits>
#include <string>

#include "engine/model_impl.h"
#include "model/family_toys.h"
#include "model_file_fixture.h"

namespace emberline::testing {
namespace {

class MetalFallback : public ModelFileOnMac {
 protected:
  // Why `auto` did not take the GPU; loads.
  std::string reason_for_the_cpu() {
    const auto model = take(load("auto"));
    EXPECT_EQ(model->info().device.substr(0, 3), "cpu");
    return model->info().device_reason;
  }
  static bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  }
  // The buffer that a kernel knows by this index.
  static float* floats_of(const metal_sim::DispatchView& dispatch, std::uint32_t index) {
    for (const metal_sim::BoundBuffer& buffer : dispatch.buffers) {
      if (buffer.index == index) return static_cast<float*>(buffer.data);
    }
    return nullptr;
  }
  // The second pipeline of argmax is the sampled chain's: the self-test has none of those.
  static void let_the_models_own_pipeline_fail() {
    metal_sim::OperationFault fault;
    fault.operation = metal_sim::Operation::kPipeline;
    fault.kernel = "argmax";
    fault.skip = kArgmaxesOfTheSelfTest;
    fault.times = 1000;
    metal_sim::inject(fault);
  }
  static constexpr std::uint64_t kArgmaxesOfTheSelfTest = 1;
};

TEST_F(MetalFallback, IsNotNeededByAGpuThatIsRight) {
  const auto model = take(load("auto"));
  EXPECT_EQ(model->info().device.substr(0, 5), "metal");
  EXPECT_EQ(model->info().device_reason, "");
}

TEST_F(MetalFallback, FromAHeadWidthThatTheGpuHasNoKernelFor) {
  ToyModel toy = gpu_toy();
  toy.head_width = 20;
  write(toy);
  EXPECT_FALSE(reason_for_the_cpu().empty());
  EXPECT_EQ(load("metal").code(), ErrorCode::kDeviceUnavailable);
}

// What a family asks for that the GPU has no kernels for; empty: it runs there.
std::string refusal_of(const ToyModel& toy) {
  if (toy.experts > 0) return "mixtures of experts";
  if (toy.layer_norms) return "norms that take off the mean";
  if (toy.architecture == "smollm3") return "layers without positions";
  return "";
}

TEST_F(MetalFallback, OfEachFamilySaysByNameWhatTheGpuLacks) {
  for (const auto& [name, toy] : family_toys()) {
    SCOPED_TRACE(name);
    write(toy);
    const auto model = take(load("auto"));
    const std::string& reason = model->info().device_reason;
    const std::string refusal = refusal_of(toy);
    EXPECT_EQ(model->info().device.substr(0, 3), refusal.empty() ? "met" : "cpu");
    EXPECT_EQ(reason.empty(), refusal.empty()) << reason;
    EXPECT_TRUE(contains(reason, refusal.c_str())) << reason;
  }
}

TEST_F(MetalFallback, FromAResultOfTheSelfTestThatIsWrong) {
  metal_sim::set_after_dispatch([](const metal_sim::DispatchView& dispatch) {
    constexpr std::uint32_t kOut = 6;
    if (dispatch.kernel.starts_with("attention_decode")) floats_of(dispatch, kOut)[0] += 1;
  });
  EXPECT_TRUE(contains(reason_for_the_cpu(), "attention over heads of 64"));
  EXPECT_EQ(load("metal").code(), ErrorCode::kDeviceUnavailable);
}

TEST_F(MetalFallback, FromLogitsOfTheSelfTestThatAreNotFinite) {
  metal_sim::set_before_dispatch([](const metal_sim::DispatchView& dispatch) {
    constexpr std::uint32_t kLogits = 2;
    if (dispatch.kernel.starts_with("argmax"))
      floats_of(dispatch, kLogits)[0] = std::numeric_limits<float>::quiet_NaN();
  });
  EXPECT_TRUE(contains(reason_for_the_cpu(), "not a finite number"));
  EXPECT_EQ(load("metal").code(), ErrorCode::kDeviceUnavailable);
}

TEST_F(MetalFallback, FromAPipelineOfTheModelsOwnThatCannotBeCompiled) {
  let_the_models_own_pipeline_fail();
  const std::string reason = reason_for_the_cpu();
  EXPECT_TRUE(contains(reason, "The kernel argmax cannot run on this GPU")) << reason;
  EXPECT_FALSE(contains(reason, "test of its kernels")) << "behind the self-test";
  metal_sim::clear_injections();
  let_the_models_own_pipeline_fail();
  EXPECT_EQ(load("metal").code(), ErrorCode::kDeviceFailed);
}

TEST_F(MetalFallback, ASessionCompilesNothing) {
  const auto model = take(load("auto"));
  const std::uint64_t compiled = metal_sim::counts().pipelines_compiled;
  EXPECT_GT(compiled, 0u);
  EXPECT_TRUE(ForwardPass::create(model->impl().on_device(), 128).ok());
  EXPECT_EQ(metal_sim::counts().pipelines_compiled, compiled);
}

// What is wrong with the file is not the GPU's.
TEST_F(MetalFallback, NotFromAFileThatIsWrong) {
  ToyModel toy = gpu_toy();
  toy.without = {"blk.1.ffn_down.weight"};
  write(toy);
  EXPECT_EQ(load("auto").code(), ErrorCode::kModelTensorMissing);
}

}  // namespace
}  // namespace emberline::testing
