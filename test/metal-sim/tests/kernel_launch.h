// One dispatch of a shipped kernel in the simulator, written so that a test reads like the launch.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "simulator.h"

namespace emberline::metal_sim {

// The shipped kernels. checked: accesses are checked and counted (CompileOptions::checked).
const Library& shipped_kernels(bool checked = true);

// The three thread orders that results must not depend on.
inline std::vector<Order> all_orders() {
  return {Order::ascending(), Order::descending(), Order::seeded(20260101)};
}

class KernelLaunch {
 public:
  KernelLaunch(const Library& library, const std::string& kernel,
               const std::vector<ConstantValue>& constants) {
    Result<Pipeline> pipeline = make(library, kernel, constants);
    EXPECT_TRUE(pipeline.ok()) << pipeline.error().message();
    if (!pipeline.ok()) return;
    dispatch_.emplace(Dispatch{
        .pipeline = pipeline.value(), .threadgroups = {}, .threads_per_threadgroup = {}, .threads = {}});
  }

  // buffer(0): parameters, as setBytes passes them.
  template <typename Params>
  KernelLaunch& params(const Params& params) {
    params_.resize(sizeof(Params));
    std::memcpy(params_.data(), &params, sizeof(Params));
    return bytes(0, params_.data(), params_.size());
  }
  KernelLaunch& bytes(std::size_t index, void* data, std::size_t size) {
    if (dispatch_) dispatch_->buffers[index] = {data, size};
    return *this;
  }
  template <typename T>
  KernelLaunch& buffer(std::size_t index, std::vector<T>& data) {
    return bytes(index, data.data(), data.size() * sizeof(T));
  }
  KernelLaunch& threadgroup_bytes(std::size_t index, std::uint32_t size) {
    if (dispatch_) dispatch_->threadgroup_bytes[index] = size;
    return *this;
  }
  KernelLaunch& grid(Size threadgroups, std::uint32_t threads) {
    if (dispatch_) {
      dispatch_->threadgroups = threadgroups;
      dispatch_->threads_per_threadgroup = {threads, 1, 1};
    }
    return *this;
  }

  // The fault's sentence; empty: none.
  std::string fault(Order order = {}, Counters* counters = nullptr) {
    if (!dispatch_) return "there is no such pipeline";
    const auto fault = metal_sim::run(*dispatch_, order, counters);
    return fault ? fault->sentence : "";
  }
  void run(Order order = {}, Counters* counters = nullptr) { ASSERT_EQ(fault(order, counters), ""); }

 private:
  std::optional<Dispatch> dispatch_;
  std::vector<std::uint8_t> params_;
};

}  // namespace emberline::metal_sim
