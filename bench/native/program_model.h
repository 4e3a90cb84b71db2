// The model of a native program of the bench, on the device it is asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "engine/model.h"

namespace emberline {

struct ProgramArguments {
  std::string model;      // a GGUF file
  int threads = 0;        // as ModelOptions
  bool metal = false;     // otherwise the processor
  bool indirect = false;  // ChainSkip::kIndirect
  std::string library;    // MetalDeviceOptions::library_path
};

// MODEL THREADS [metal return|indirect [LIBRARY]]; nothing where they are something else.
std::optional<ProgramArguments> read_arguments(int count, const char* const* arguments);

// As Model::load.
Result<std::shared_ptr<Model>> load_model(const ProgramArguments& arguments);

// Memory bandwidth that Apple states for the chip of a Metal device, bytes a second. DEVICE_UNAVAILABLE for
// another device.
Result<double> stated_bandwidth(const Model& model);

}  // namespace emberline
