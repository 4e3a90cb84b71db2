// Runs one product kernel in the simulator with its buffers where metal/ says they are, and the norms that
// tolerances come from.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "device/chain_state.h"
#include "device/op_params.h"
#include "gguf/tensor_type.h"
#include "kernel_launch.h"
#include "kernels/guarded_memory.h"
#include "reference/random_data.h"

namespace emberline::testing {

// Device memory of one binding: exactly as long as its contents.
template <typename T>
class KernelBuffer {
 public:
  explicit KernelBuffer(std::size_t count, T value = T{}) : memory_(count * sizeof(T)), count_(count) {
    for (T& element : values()) element = value;
  }
  explicit KernelBuffer(const std::vector<T>& contents) : KernelBuffer(contents.size()) {
    if (!contents.empty()) std::memcpy(memory_.data(), contents.data(), contents.size() * sizeof(T));
  }
  std::span<T> values() { return {static_cast<T*>(memory_.data()), count_}; }
  std::vector<T> copy() { return {values().begin(), values().end()}; }
  std::size_t count() const { return count_; }
  metal_sim::BufferBinding binding() { return {memory_.data(), count_ * sizeof(T)}; }

 private:
  metal_sim::GuardedMemory memory_;
  std::size_t count_;
};

// One dispatch of a kernel of metal/: parameters at buffer(0), chain state at 1, slots from 2, rows at 29.
class KernelRun {
 public:
  explicit KernelRun(const std::string& kernel,
                     const metal_sim::Library& library = metal_sim::shipped_kernels());

  template <typename Params>
  KernelRun& params(const Params& params) {
    params_.resize(sizeof params);
    std::memcpy(params_.data(), &params, sizeof params);
    return *this;
  }
  template <typename T>
  KernelRun& bind(std::uint32_t slot, KernelBuffer<T>& buffer) {
    buffers_[2 + slot] = buffer.binding();
    return *this;
  }
  // Function constants are false, and ROW_CAPACITY is 1, unless said otherwise.
  KernelRun& has_bias(bool has_bias);
  // HAS_ADDED.
  KernelRun& has_added(bool has_added);
  // HAS_ROPE_FACTORS.
  KernelRun& rope_factors(std::uint32_t slot, KernelBuffer<float>& factors);
  // Bound at buffer(1), and CHAINED.
  KernelRun& chained(KernelBuffer<std::uint32_t>& state);
  // Bound at buffer(30), and INDIRECT.
  KernelRun& indirect(KernelBuffer<std::uint32_t>& grids);
  KernelRun& rows(std::uint32_t rows);
  // GATE_ACTIVATION; kGateSilu unless said otherwise.
  KernelRun& activation(std::uint32_t activation);
  KernelRun& grid(metal_sim::Size threadgroups, std::uint32_t threads);
  // The grid and threadgroup memory of mat_mat.
  KernelRun& mat_mat_grid(std::uint32_t rows, std::uint32_t out);
  // The grid, capacity and threadgroup memory of the mat_vec family.
  KernelRun& mat_vec_grid(std::uint32_t pairs, std::uint32_t in, std::uint32_t rows);

  // The fault's sentence; empty: none.
  std::string fault(metal_sim::Order order = {}, metal_sim::Counters* counters = nullptr);
  // A fault is a failure of the test.
  metal_sim::Counters run(metal_sim::Order order = {});

 private:
  metal_sim::Library library_;
  std::string kernel_;
  std::vector<std::uint8_t> params_;
  std::array<metal_sim::BufferBinding, metal_sim::kBufferSlots> buffers_{};
  bool has_bias_ = false, has_added_ = false, chained_ = false, indirect_ = false, has_rope_factors_ = false;
  std::uint32_t activation_ = kGateSilu;
  std::uint32_t rows_ = 1, capacity_ = 1, threadgroup_bytes_ = 0, threads_ = 0;
  metal_sim::Size threadgroups_;
};

inline constexpr std::uint32_t kChainStateWords = sizeof(ChainState) / 4;

// "q4_0" for TensorType::kQ4_0, as kernels are named.
std::string kernel_suffix(TensorType type);

inline std::uint32_t type_id(TensorType type) {
  return static_cast<std::uint32_t>(type);
}

// A weight matrix in a type, in doubles, and what its products are compared by.
struct TestMatrix {
  TestMatrix(TensorType type, std::uint32_t rows, std::uint32_t columns, Random& random);

  // sum(w[row] x).
  double product(std::uint32_t row, std::span<const double> x) const;
  // What rounding can make of it: the norm of what is added up, scale * q and offset apart, by the number of
  // roundings that any one of the terms goes through, half a unit in the last place each.
  double tolerance(std::uint32_t row, std::span<const double> x, std::uint32_t roundings) const;

  TensorType type;
  std::uint32_t rows, columns;
  KernelBuffer<std::uint8_t> bytes;
  std::vector<std::vector<double>> values;
};

// Roundings of one term in mat_vec: within its unit, over the units of its lane (at least 8 columns each, two
// roundings), across 16 lanes, and in a norm before and a bias or residual behind: its squares, root, gain.
constexpr std::uint32_t mat_vec_roundings(std::uint32_t columns) {
  return 24 + 2 * (columns / 128 + 1) + columns / 128;
}

// x / sqrt(mean(x^2) + epsilon) * gain.
std::vector<double> normalised(std::span<const float> x, std::span<const float> gain, double epsilon);

// The rows of a batch, in doubles.
std::vector<double> widened(std::span<const float> values);

}  // namespace emberline::testing
