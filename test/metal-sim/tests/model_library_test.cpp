// ModelOptions::metal_library on its way to the device.
#include "engine/model.h"
#include "model_fixture.h"
#include "temporary_directory.h"

namespace emberline::testing {
namespace {

class MetalLibrary : public SimulatedMac {
 protected:
  MetalLibrary() {
    metal_sim::Machine machine;
    machine.checked_kernels = false;  // compiles in half the time
    metal_sim::set_machine(machine);
    options_.path = folder_.file("toy.gguf");
    options_.device = "metal";
    EXPECT_TRUE(gpu_toy(TensorType::kQ4_0).writer().write(options_.path));
  }

  TemporaryDirectory folder_;
  ModelOptions options_;
};

TEST_F(MetalLibrary, IsOpenedAndNothingIsCompiled) {
  options_.metal_library = EMBERLINE_KERNELS_UNCHECKED;
  const auto model = take(Model::load(options_));
  EXPECT_EQ(model->info().device.substr(0, 5), "metal");
  EXPECT_EQ(metal_sim::counts().libraries_opened, 1u);
  EXPECT_TRUE(metal_sim::counts().compilations.empty());
}

TEST_F(MetalLibrary, IsDoneWithoutWhereThereIsNone) {
  options_.metal_library = folder_.file("emberline.metallib");
  const auto model = take(Model::load(options_));
  EXPECT_EQ(model->info().device.substr(0, 5), "metal");
  EXPECT_EQ(metal_sim::counts().libraries_opened, 0u);
  EXPECT_EQ(metal_sim::counts().compilations.size(), 1u);
}

}  // namespace
}  // namespace emberline::testing
