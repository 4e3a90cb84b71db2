// The kernels' text that the device holds, for where there is no compiled library.
#include "device/small_model.h"
#include "device_fixture.h"

namespace emberline::testing {
namespace {

TEST_F(SimulatedMac, CompilesItsOwnKernels) {
  metal_sim::Machine machine;
  machine.checked_kernels = false;  // compiles in half the time
  metal_sim::set_machine(machine);
  const auto compiled = metal_device();
  for (const char* library : {"", "/nowhere/emberline.metallib", "/proc/version"}) {
    SCOPED_TRACE(library);
    metal_sim::clear_counts();
    MetalDeviceOptions options;
    options.library_path = library;
    const auto device = metal_device(options);
    ASSERT_NE(device, nullptr);
    const auto compilations = metal_sim::counts().compilations;
    ASSERT_EQ(compilations.size(), 1u);
    EXPECT_FALSE(compilations[0].fast_math);
    EXPECT_EQ(compilations[0].language_version, 3u << 16);  // MTLLanguageVersion3_0
    SmallModel from_text(*device, TensorType::kQ4_0), from_library(*compiled, TensorType::kQ4_0);
    for (SmallModel* model : {&from_text, &from_library}) {
      model->set_tokens({7});
      ASSERT_TRUE(model->table().replay(Replay{}).ok());
    }
    EXPECT_EQ(from_text.logits(), from_library.logits());
  }
}

}  // namespace
}  // namespace emberline::testing
