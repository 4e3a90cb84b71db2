// The tests of the Metal device on the GPU of this machine. Where it has none that the device takes, as on
// hosted runners, whose GPU is paravirtualised, the program says why and ends with 77, which CTest shows as
// skipped; with EMBERLINE_REQUIRE_METAL in the environment it is a failure.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "device/metal/metal_device.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  emberline::MetalDeviceOptions options;
  options.library_path = EMBERLINE_KERNELS;
  const auto device = emberline::make_metal_device(options);
  if (!device.ok()) {
    const char* required = std::getenv("EMBERLINE_REQUIRE_METAL");
    std::fprintf(stderr, "There is no GPU to test on: %s\n", device.error().message().c_str());
    return required == nullptr || *required == '\0' ? 77 : 1;
  }
  std::printf("on %s\n", device.value()->description().c_str());
  return RUN_ALL_TESTS();
}
