// What tests ask of a GPU that may be a simulated one (test/metal-sim), here of the one that Metal finds.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "device/metal/metal_device.h"

namespace emberline::testing {

using GpuTest = ::testing::Test;

// The simulator alone can check accesses: here the same as unchecked_kernels().
inline MetalDeviceOptions checked_kernels() {
  MetalDeviceOptions options;
  options.library_path = EMBERLINE_KERNELS;
  return options;
}

inline MetalDeviceOptions unchecked_kernels() {
  return checked_kernels();
}

inline std::unique_ptr<Device> metal_device(const MetalDeviceOptions& options = checked_kernels()) {
  Result<std::unique_ptr<Device>> device = make_metal_device(options);
  EXPECT_TRUE(device.ok()) << device.error().message();
  return device.ok() ? std::move(device).value() : nullptr;
}

// A GPU takes dispatches and threads in what order it likes.
inline void shuffle_dispatches(std::uint32_t = 1) {}

inline void in_several_orders(const std::function<void()>& work) {
  for (int time = 0; time < 4; ++time) work();
}

}  // namespace emberline::testing
