// A model in a file of its own, which the engine loads on a simulated Mac.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "engine/model.h"
#include "gpu_fixture.h"
#include "model_fixture.h"
#include "temporary_directory.h"

namespace emberline::testing {

// Its model is a toy; load() reads it, write() puts another in its place.
class ModelFileOnMac : public SimulatedMac {
 protected:
  ModelFileOnMac() {
    options_.path = folder_.file("toy.gguf");
    options_.metal_library = EMBERLINE_KERNELS_UNCHECKED;
    write(gpu_toy(TensorType::kQ4_0));
  }
  void write(const ToyModel& toy) { EXPECT_TRUE(toy.writer().write(options_.path)); }
  Result<std::shared_ptr<Model>> load(const char* device) {
    options_.device = device;
    return Model::load(options_);
  }

  TemporaryDirectory folder_;
  ModelOptions options_;
};

}  // namespace emberline::testing
