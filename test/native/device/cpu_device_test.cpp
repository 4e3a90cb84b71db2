// Buffers, options and idleness of the CPU device.
#include "device/cpu/cpu_device.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/cpu_topology.h"
#include "device/small_model.h"
#include "take.h"

namespace emberline::testing {
namespace {

TEST(CpuDevice, SaysWhatItIs) {
  EXPECT_STREQ(cpu_device("portable", 1)->name(), "cpu");
  EXPECT_EQ(cpu_device("portable", 1)->description(), "cpu, portable, 1 thread");
  EXPECT_EQ(cpu_device("portable", 3)->description(), "cpu, portable, 3 threads");
  EXPECT_EQ(cpu_device("auto", 0)->description(), cpu_device("auto", recommended_threads())->description());
  for (int op = 0; op < kOpCount; ++op) EXPECT_STRNE(op_name(static_cast<Op>(op)), "unknown");
}

TEST(CpuDevice, RefusesOptionsOutOfRange) {
  CpuDeviceOptions options;
  for (int threads : {-1, 65, 1000}) {
    options.threads = threads;
    EXPECT_EQ(make_cpu_device(options).code(), ErrorCode::kInvalidArgument);
  }
  options.threads = 1;
  options.isa = "none";
  EXPECT_EQ(make_cpu_device(options).code(), ErrorCode::kInvalidArgument);
}

TEST(CpuDevice, BuffersStartAsZeros) {
  const auto device = cpu_device("portable");
  const BufferId id = device->allocate(1000).value();
  std::vector<std::uint8_t> bytes(1000, 1);
  ASSERT_TRUE(device->read(id, 0, bytes.data(), 1000).ok());
  EXPECT_EQ(bytes, std::vector<std::uint8_t>(1000, 0));
}

TEST(CpuDevice, ReadsWritesAndCopies) {
  const auto device = cpu_device("portable");
  const BufferId a = device->allocate(64).value(), b = device->allocate(64).value();
  ASSERT_TRUE(device->write(a, 60, "abcd", 4).ok());
  ASSERT_TRUE(device->copy(a, 60, b, 1, 4).ok());
  ASSERT_TRUE(device->copy(b, 1, b, 10, 4).ok());
  char text[5] = {};
  ASSERT_TRUE(device->read(b, 10, text, 4).ok());
  EXPECT_STREQ(text, "abcd");
}

TEST(CpuDevice, RefusesAccessOutsideItsBuffers) {
  const auto device = cpu_device("portable");
  const BufferId id = device->allocate(64).value();
  char bytes[64];
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(device->read(id, 1, bytes, 64).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(device->read(id, most, bytes, 2).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(device->write(id, 2, bytes, most).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(device->write(id + 1, 0, bytes, 1).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(device->copy(id, 0, id, 63, 2).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(device->copy(id, 0, id, 3, 4).code(), ErrorCode::kInvalidArgument);  // overlap
  EXPECT_TRUE(device->read(id, 64, bytes, 0).ok());
  device->release(id);
  EXPECT_EQ(device->read(id, 0, bytes, 1).code(), ErrorCode::kInvalidArgument);
  device->release(id);
}

TEST(CpuDevice, LoadedMatricesAreReadOnly) {
  const auto device = cpu_device("portable");
  const std::vector<std::uint8_t> data(4 * 4 * 4);
  const MatrixSource source{data, TensorType::kF32, 4, 4};
  const LoadedMatrices loaded = take(device->load_matrices({&source, 1}, {}));
  EXPECT_EQ(device->write(loaded.buffer, 0, "x", 1).code(), ErrorCode::kInvalidArgument);
  device->release(loaded.buffer);
}

TEST(CpuDevice, RefusesBuffersThatCannotBe) {
  const auto device = cpu_device("portable");
  EXPECT_EQ(device->allocate(0).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(device->allocate(std::numeric_limits<std::size_t>::max()).code(), ErrorCode::kOutOfMemory);
  EXPECT_EQ(device->allocate(std::numeric_limits<std::size_t>::max() / 2).code(), ErrorCode::kOutOfMemory);
}

TEST(CpuDevice, AReservedBufferGrowsWhereItIs) {
  const auto device = cpu_device("portable");
  const BufferId id = device->reserve(std::size_t{1} << 30).value();
  char text[4] = {};
  EXPECT_EQ(device->read(id, 0, text, 1).code(), ErrorCode::kInvalidArgument);  // nothing is usable yet
  ASSERT_TRUE(device->grow(id, 100).ok());
  ASSERT_TRUE(device->write(id, 96, "abc", 4).ok());
  EXPECT_EQ(device->write(id, 97, "abc", 4).code(), ErrorCode::kInvalidArgument);
  ASSERT_TRUE(device->grow(id, std::size_t{1} << 20).ok());
  ASSERT_TRUE(device->copy(id, 96, id, 1000000, 4).ok());
  ASSERT_TRUE(device->read(id, 1000000, text, 4).ok());
  EXPECT_STREQ(text, "abc");
  EXPECT_EQ(device->grow(id, (std::size_t{1} << 30) + 1).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(device->grow(device->allocate(64).value(), 64).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(device->reserve(0).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(device->reserve(std::numeric_limits<std::size_t>::max() / 2).code(), ErrorCode::kOutOfMemory);
  device->release(id);
  EXPECT_EQ(device->grow(id, 100).code(), ErrorCode::kInvalidArgument);
}

TEST(CpuDevice, SeveralTablesShareTheDevice) {
  const auto device = cpu_device("auto", 2);
  SmallModel small(*device, TensorType::kQ4_0), large(*device, TensorType::kF16, 16);
  small.set_tokens({1});
  large.set_tokens({1});
  Replay request;
  request.steps = 5;
  ASSERT_TRUE(small.table().replay(request).ok());
  const auto tokens = small.tokens(6);
  ASSERT_TRUE(large.table().replay(request).ok());
  small.set_tokens({1});
  ASSERT_TRUE(small.table().replay(request).ok());
  EXPECT_EQ(small.tokens(6), tokens);
}

}  // namespace
}  // namespace emberline::testing
