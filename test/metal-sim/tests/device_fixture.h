// The Metal device on a simulated Mac, set back between tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "control.h"
#include "device/metal/metal_device.h"

namespace emberline::testing {

// The kernels were compiled when the tests were built; every access of theirs is checked.
inline MetalDeviceOptions checked_kernels() {
  MetalDeviceOptions options;
  options.library_path = EMBERLINE_KERNELS_CHECKED;
  return options;
}

// The same without checks, for what other tests check and takes long.
inline MetalDeviceOptions unchecked_kernels() {
  MetalDeviceOptions options = checked_kernels();
  options.library_path = EMBERLINE_KERNELS_UNCHECKED;
  return options;
}

inline std::unique_ptr<Device> metal_device(const MetalDeviceOptions& options = checked_kernels()) {
  Result<std::unique_ptr<Device>> device = make_metal_device(options);
  EXPECT_TRUE(device.ok()) << device.error().message();
  return device.ok() ? std::move(device).value() : nullptr;
}

// The next `times` operations of this kind fail.
inline void let_fail(metal_sim::Operation operation, std::uint64_t times = 1) {
  metal_sim::OperationFault fault;
  fault.operation = operation;
  fault.times = times;
  metal_sim::inject(fault);
}

// Whatever the stand-ins have against the program aborts it (failures.h).
class SimulatedMac : public ::testing::Test {
 protected:
  SimulatedMac() { metal_sim::reset(); }
  ~SimulatedMac() override { metal_sim::reset(); }
};

}  // namespace emberline::testing
