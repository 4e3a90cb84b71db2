#include "product_launch.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>

#include "function_constants.h"
#include "launch_shapes.h"
#include "reference/reference_device.h"

namespace emberline::testing {
KernelRun::KernelRun(const std::string& kernel, const metal_sim::Library& library)
    : library_(library), kernel_(kernel) {}

KernelRun& KernelRun::has_bias(bool has_bias) {
  has_bias_ = has_bias;
  return *this;
}

KernelRun& KernelRun::has_added(bool has_added) {
  has_added_ = has_added;
  return *this;
}

KernelRun& KernelRun::rope_factors(std::uint32_t slot, KernelBuffer<float>& factors) {
  has_rope_factors_ = true;
  return bind(slot, factors);
}

KernelRun& KernelRun::chained(KernelBuffer<std::uint32_t>& state) {
  chained_ = true;
  buffers_[1] = state.binding();
  return *this;
}

KernelRun& KernelRun::indirect(KernelBuffer<std::uint32_t>& grids) {
  indirect_ = true;
  buffers_[30] = grids.binding();
  return *this;
}

KernelRun& KernelRun::rows(std::uint32_t rows) {
  rows_ = rows;
  return *this;
}

KernelRun& KernelRun::activation(std::uint32_t activation) {
  activation_ = activation;
  return *this;
}

KernelRun& KernelRun::grid(metal_sim::Size threadgroups, std::uint32_t threads) {
  threadgroups_ = threadgroups;
  threads_ = threads;
  return *this;
}

KernelRun& KernelRun::mat_mat_grid(std::uint32_t rows, std::uint32_t out) {
  rows_ = rows;
  threadgroup_bytes_ = kMatMatThreadgroupBytes;
  return grid({(rows + kMatMatRows - 1) / kMatMatRows, (out + kMatMatOuts - 1) / kMatMatOuts, 1},
              kMatMatThreads);
}

KernelRun& KernelRun::mat_vec_grid(std::uint32_t pairs, std::uint32_t in, std::uint32_t rows) {
  rows_ = rows;
  capacity_ = mat_vec_row_capacity(rows);
  threadgroup_bytes_ = mat_vec_threadgroup_bytes(capacity_, in);
  return grid({mat_vec_threadgroups(pairs), 1, 1}, mat_vec_threads(pairs));
}

std::string KernelRun::fault(metal_sim::Order order, metal_sim::Counters* counters) {
  metal_sim::KernelLaunch launch(library_, kernel_,
                                 {metal_sim::constant_bool(kConstantChained, chained_),
                                  metal_sim::constant_bool(kConstantIndirect, indirect_),
                                  metal_sim::constant_uint(kConstantRowCapacity, capacity_),
                                  metal_sim::constant_bool(kConstantHasBias, has_bias_),
                                  metal_sim::constant_bool(kConstantHasAdded, has_added_),
                                  metal_sim::constant_uint(kConstantGateActivation, activation_),
                                  metal_sim::constant_bool(kConstantHasRopeFactors, has_rope_factors_)});
  for (std::size_t i = 0; i < buffers_.size(); ++i) launch.bytes(i, buffers_[i].data, buffers_[i].bytes);
  KernelBuffer<std::uint32_t> running(kChainStateWords);
  if (!chained_) launch.bytes(1, running.binding().data, running.binding().bytes);
  launch.bytes(0, params_.data(), params_.size()).bytes(29, &rows_, sizeof rows_);
  launch.threadgroup_bytes(0, threadgroup_bytes_).grid(threadgroups_, threads_);
  return launch.fault(order, counters);
}

metal_sim::Counters KernelRun::run(metal_sim::Order order) {
  metal_sim::Counters counters;
  EXPECT_EQ(fault(order, &counters), "");
  return counters;
}

std::string kernel_suffix(TensorType type) {
  std::string name = type_name(type);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

namespace {

// Of random_weights. scale * q is smaller than the weight and the offset together.
double largest_offset(TensorType type) {
  switch (type) {
    case TensorType::kQ4_0:
    case TensorType::kQ4_1:
    case TensorType::kQ5_0:
    case TensorType::kQ5_1: return 16 * 1.5 * 3 / 32;
    case TensorType::kQ2_K: return 15 * 1.5 * 1.5 / 8;
    case TensorType::kQ4_K:
    case TensorType::kQ5_K: return 63 * 1.5 * 1.5 / 32;
    default: return 0;
  }
}

}  // namespace

TestMatrix::TestMatrix(TensorType type, std::uint32_t rows, std::uint32_t columns, Random& random)
    : type(type), rows(rows), columns(columns), bytes(random_weights(type, rows, columns, random)) {
  for (std::uint32_t row = 0; row < rows; ++row) {
    values.push_back(widen_row(type, bytes.values(), row, columns));
  }
}

double TestMatrix::product(std::uint32_t row, std::span<const double> x) const {
  const double *w = values[row].data(), *factors = x.data();
  double sum = 0;
  for (std::uint32_t i = 0; i < columns; ++i) sum += w[i] * factors[i];
  return sum;
}

double TestMatrix::tolerance(std::uint32_t row, std::span<const double> x, std::uint32_t roundings) const {
  const double offsets = 2 * largest_offset(type);
  const double *w = values[row].data(), *factors = x.data();
  double norm = 0;
  for (std::uint32_t i = 0; i < columns; ++i) norm += (std::abs(w[i]) + offsets) * std::abs(factors[i]);
  return norm * roundings * 0x1p-24;
}

std::vector<double> normalised(std::span<const float> x, std::span<const float> gain, double epsilon) {
  double squares = 0;
  for (const float value : x) squares += double{value} * value;
  const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  std::vector<double> out;
  for (std::size_t i = 0; i < x.size(); ++i) out.push_back(x[i] * scale * gain[i]);
  return out;
}

std::vector<double> widened(std::span<const float> values) {
  return {values.begin(), values.end()};
}

}  // namespace emberline::testing
