// Starts on a GPU: the self-test, the kernels' own text, and pipelines kept from one start to the next.
#include <filesystem>

#include "device/small_model.h"
#include "gpu_fixture.h"
#include "kinds_of_models.h"
#include "temporary_directory.h"

namespace emberline::testing {
namespace {

std::vector<float> logits_on(const MetalDeviceOptions& options) {
  const auto device = metal_device(options);
  SmallModel model(*device, TensorType::kQ4_0, 20);
  model.set_tokens({7});
  const auto outcome = model.table().replay(Replay{});
  EXPECT_TRUE(outcome.ok()) << outcome.error().message();
  return model.logits();
}

TEST(GpuStart, PassesTheSelfTest) {
  const auto device = metal_device();
  ASSERT_NE(device, nullptr);
  for (const ModelNeeds& needs : kinds_of_models()) {
    const Status status = device->examine(needs);
    EXPECT_TRUE(status.ok()) << traits(needs.layer_types.front()).name << ": " << status.message();
  }
  EXPECT_EQ(device->description().find("sampling on the CPU"), std::string::npos) << device->description();
}

TEST(GpuStart, TheKernelsOwnTextComputesTheSame) {
  MetalDeviceOptions from_text = checked_kernels();
  from_text.library_path.clear();
  EXPECT_EQ(logits_on(from_text), logits_on(checked_kernels()));
}

TEST(GpuStart, PipelinesOfAnEarlierStartComputeTheSame) {
  const TemporaryDirectory folder;
  MetalDeviceOptions options = checked_kernels();
  options.cache_folder = folder.file("pipelines");
  const auto first = logits_on(options);
  EXPECT_FALSE(std::filesystem::is_empty(options.cache_folder));
  EXPECT_EQ(logits_on(options), first);
}

}  // namespace
}  // namespace emberline::testing
