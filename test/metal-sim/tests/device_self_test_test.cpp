// The self-test that decides whether the device is used.
#include "device_fixture.h"

namespace emberline::testing {
namespace {

TEST_F(SimulatedMac, PassesTheSelfTest) {
  MetalDeviceOptions options = checked_kernels();
  options.self_test = true;
  const auto device = metal_device(options);
  ASSERT_NE(device, nullptr);
  EXPECT_STREQ(device->name(), "metal");
  EXPECT_EQ(device->description(), "metal, Apple M4 Pro, 20 GPU cores");
  EXPECT_TRUE(device->offers(Op::kGumbel, 1));
  EXPECT_FALSE(device->offers(Op::kGumbel, 2));
}

}  // namespace
}  // namespace emberline::testing
