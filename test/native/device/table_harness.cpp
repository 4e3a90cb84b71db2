#include "device/table_harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/reference_device.h"
#include "simd/instruction_sets.h"

namespace emberline::testing {

TableHarness::~TableHarness() {
  for (BufferId id : buffers_) device_.release(id);
}

Binding TableHarness::upload(const void* data, std::size_t bytes) {
  Result<BufferId> id = device_.allocate(bytes);
  EXPECT_TRUE(id.ok());
  if (!id.ok()) return {};
  if (data != nullptr) {
    EXPECT_TRUE(device_.write(id.value(), 0, data, bytes).ok());
  }
  buffers_.push_back(id.value());
  return {id.value(), 0};
}

Binding TableHarness::bytes(const std::vector<std::uint8_t>& data) {
  return upload(data.data(), data.size());
}
Binding TableHarness::matrix(TensorType type, std::uint32_t rows, std::uint32_t columns,
                             const std::vector<std::uint8_t>& data) {
  const MatrixSource source{sources_.emplace_back(data), type, rows, columns};
  const Result<LoadedMatrices> loaded = device_.load_matrices({&source, 1}, {});
  EXPECT_TRUE(loaded.ok());
  if (!loaded.ok()) return {};
  buffers_.push_back(loaded.value().buffer);
  return {loaded.value().buffer, loaded.value().offsets[0]};
}
Binding TableHarness::floats(const std::vector<float>& data) {
  return upload(data.data(), data.size() * 4);
}
Binding TableHarness::words(const std::vector<std::uint32_t>& data) {
  return upload(data.data(), data.size() * 4);
}
Binding TableHarness::zeros(std::size_t bytes) {
  return upload(nullptr, bytes);
}

Status TableHarness::prepare(std::uint32_t max_rows) {
  table_.max_rows = max_rows;
  return device_.prepare(table_);
}

void TableHarness::run(std::uint32_t rows, std::uint32_t position) {
  const Status prepared = prepare(rows);
  ASSERT_TRUE(prepared.ok()) << prepared.message();
  Replay request;
  request.rows = rows;
  request.position = position;
  const Result<ReplayOutcome> outcome = replay(request);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message();
  ASSERT_EQ(outcome.value().steps_completed, 1u);
}

std::vector<float> TableHarness::read_floats(Binding binding, std::size_t count) {
  std::vector<float> values(count);
  EXPECT_TRUE(device_.read(binding.buffer, binding.offset, values.data(), count * 4).ok());
  return values;
}

std::vector<float> TableHarness::read_halves(Binding binding, std::size_t count) {
  std::vector<std::uint16_t> halves(count);
  EXPECT_TRUE(device_.read(binding.buffer, binding.offset, halves.data(), count * 2).ok());
  return widen_halves(halves);
}

std::vector<std::uint32_t> TableHarness::read_words(Binding binding, std::size_t count) {
  std::vector<std::uint32_t> values(count);
  EXPECT_TRUE(device_.read(binding.buffer, binding.offset, values.data(), count * 4).ok());
  return values;
}

std::vector<std::string> runnable_isas() {
  std::vector<std::string> isas = emberline::runnable_isas();
  std::reverse(isas.begin(), isas.end());
  return isas;
}

std::unique_ptr<Device> cpu_device(const std::string& isa, int threads, bool fused) {
  CpuDeviceOptions options;
  options.isa = isa;
  options.threads = threads;
  options.fused = fused;
  Result<std::unique_ptr<Device>> device = make_cpu_device(options);
  EXPECT_TRUE(device.ok());
  return device.ok() ? std::move(device).value() : nullptr;
}

double norm(const std::vector<float>& values) {
  double squares = 0;
  for (float value : values) squares += static_cast<double>(value) * value;
  return std::sqrt(squares);
}

}  // namespace emberline::testing
