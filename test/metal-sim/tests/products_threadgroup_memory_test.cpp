// What kernels declare themselves stays so small that it fits beside whatever length the host has set.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernel_launch.h"
#include "launch_shapes.h"

namespace emberline::metal_sim {
namespace {

TEST(ThreadgroupMemory, FitsBesideWhatTheHostSets) {
  std::uint32_t largest = 0;
  for (const KernelInfo& kernel : shipped_kernels().kernels()) {
    EXPECT_LE(kernel.static_threadgroup_bytes, kStaticThreadgroupBytes) << kernel.name;
    largest = std::max(largest, kernel.static_threadgroup_bytes);
  }
  EXPECT_GT(largest, 0u);  // argmax has some
  for (const std::uint32_t set :
       {mat_vec_threadgroup_bytes(kMatVecMaxRows, 1u << 20), mat_vec_threadgroup_bytes(1, 1u << 20),
        kMatMatThreadgroupBytes, kDecodeThreadgroupBytes, kGumbelThreadgroupBytes,
        attention_prefill_threadgroup_bytes(64), attention_prefill_threadgroup_bytes(128),
        attention_prefill_threadgroup_bytes(256)}) {
    EXPECT_LE(set + kStaticThreadgroupBytes, kThreadgroupBytes);
    EXPECT_EQ(set % 16, 0u);
  }
}

}  // namespace
}  // namespace emberline::metal_sim
