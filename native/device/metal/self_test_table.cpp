#include "device/metal/self_test_table.h"

#include <algorithm>
#include <cmath>

#include "base/half.h"

namespace emberline::metal {

SelfTestTable::~SelfTestTable() {
  for (const BufferId id : buffers_) device_.release(id);
}

Binding SelfTestTable::upload(const void* data, std::size_t bytes) {
  if (!status_.ok()) return {};
  const Result<BufferId> id = device_.allocate(bytes);
  if (!id.ok()) {
    note(id.error());
    return {};
  }
  buffers_.push_back(id.value());
  if (data != nullptr) note(device_.write(id.value(), 0, data, bytes));
  return {id.value(), 0};
}

Binding SelfTestTable::zeros(std::size_t bytes) {
  return upload(nullptr, bytes);
}

Binding SelfTestTable::floats(const std::vector<float>& values) {
  return upload(values.data(), values.size() * sizeof(float));
}

Binding SelfTestTable::halves(const std::vector<float>& values) {
  std::vector<std::uint16_t> halves;
  for (const float value : values) halves.push_back(f32_to_f16(value));
  return upload(halves.data(), halves.size() * sizeof(std::uint16_t));
}

Binding SelfTestTable::words(const std::vector<std::uint32_t>& values) {
  return upload(values.data(), values.size() * sizeof(std::uint32_t));
}

Binding SelfTestTable::matrix(TensorType type, std::uint32_t rows, std::uint32_t columns,
                              const std::vector<std::uint8_t>& data) {
  if (!status_.ok()) return {};
  const MatrixSource source{sources_.emplace_back(data), type, rows, columns};
  const Result<LoadedMatrices> loaded = device_.load_matrices({&source, 1}, {});
  if (!loaded.ok()) {
    note(loaded.error());
    return {};
  }
  buffers_.push_back(loaded.value().buffer);
  return {loaded.value().buffer, loaded.value().offsets[0]};
}

ReplayOutcome SelfTestTable::run(const Replay& request) {
  if (!status_.ok()) return {};
  table_.max_rows = request.rows;
  note(device_.prepare(table_));
  if (!status_.ok()) return {};
  const Result<ReplayOutcome> outcome = device_.replay(table_, request);
  if (!outcome.ok()) note(outcome.error());
  return outcome.ok() ? outcome.value() : ReplayOutcome{};
}

void SelfTestTable::run(std::uint32_t rows, std::uint32_t position) {
  Replay request;
  request.rows = rows;
  request.position = position;
  run(request);
}

std::vector<float> SelfTestTable::read(Binding binding, std::size_t count) {
  std::vector<float> values(count);
  if (status_.ok()) note(device_.read(binding.buffer, binding.offset, values.data(), count * sizeof(float)));
  return values;
}

std::vector<float> SelfTestTable::read_halves(Binding binding, std::size_t count) {
  std::vector<std::uint16_t> halves(count);
  if (status_.ok())
    note(device_.read(binding.buffer, binding.offset, halves.data(), count * sizeof(std::uint16_t)));
  std::vector<float> values;
  for (const std::uint16_t half : halves) values.push_back(f16_to_f32(half));
  return values;
}

std::vector<std::uint32_t> SelfTestTable::read_words(Binding binding, std::size_t count) {
  std::vector<std::uint32_t> values(count);
  if (status_.ok())
    note(device_.read(binding.buffer, binding.offset, values.data(), count * sizeof(std::uint32_t)));
  return values;
}

void SelfTestTable::expect(const std::string& what, const std::vector<float>& actual,
                           const reference::Values& expected) {
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::fabs(value));
  // A kernel that is wrong is off by the size of its results; one that is right by its roundings, the
  // coarsest of which are to halves: 2^-11 of an element.
  const double tolerance = std::max(largest, 1e-3) / 256;
  bool right = actual.size() == expected.size();
  for (std::size_t i = 0; right && i < expected.size(); ++i)
    right = std::fabs(actual[i] - expected[i]) <= tolerance;
  expect(what, right);
}

void SelfTestTable::expect(const std::string& what, bool right) {
  if (right) return;
  note(Status(ErrorCode::kDeviceUnavailable,
              "The GPU computes " + what + " wrongly; choose the device 'cpu', and please report this."));
}

}  // namespace emberline::metal
