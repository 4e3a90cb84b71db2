// The attention kernels on an AttentionCase.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attention_case.h"
#include "chain_state.h"
#include "function_constants.h"
#include "kernel_launch.h"
#include "launch_shapes.h"

namespace emberline::metal_sim {

struct AttentionRun {
  static constexpr float kUntouched = -12345.0f;

  Order order = {};
  const Library* library = nullptr;  // where not the shipped kernels
  bool chained = false;
  std::uint32_t halted = 0;

  std::vector<float> out;  // results
  Counters counters;
  std::string fault;  // none of the shipped kernels'

  void decode(AttentionCase& test) {
    const AttentionShape& shape = test.shape;
    run(test, "attention_decode", {shape.kv_heads, attention_decode_parts(shape.heads_per_kv), shape.rows},
        attention_decode_threads(shape.heads_per_kv), kDecodeThreadgroupBytes);
  }
  void prefill(AttentionCase& test) {
    const AttentionShape& shape = test.shape;
    const std::uint32_t tiles = attention_prefill_tiles(shape.rows, shape.heads_per_kv, shape.head_width);
    run(test, "attention_prefill", {shape.kv_heads, tiles, 1}, attention_prefill_threads(shape.head_width),
        attention_prefill_threadgroup_bytes(shape.head_width));
  }

 private:
  void run(AttentionCase& test, const char* kernel, Size grid, std::uint32_t threads,
           std::uint32_t threadgroup_bytes) {
    out.assign(test.q.size(), kUntouched);
    std::vector<ChainState> chain(1);
    chain[0].halted = halted;
    fault = KernelLaunch(library != nullptr ? *library : shipped_kernels(), kernel,
                         {constant_bool(kConstantChained, chained),
                          constant_uint(kConstantHeadWidth, test.shape.head_width),
                          constant_uint(kConstantHeadsPerKv, test.shape.heads_per_kv),
                          constant_bool(kConstantHasScoreCap, test.shape.soft_cap != 0)})
                .params(test.params)
                .buffer(1, chain)
                .buffer(2, test.q)
                .buffer(3, test.keys)
                .buffer(4, test.values)
                .buffer(5, test.pages)
                .buffer(6, out)
                .bytes(29, &test.shape.rows, sizeof test.shape.rows)
                .threadgroup_bytes(0, threadgroup_bytes)
                .grid(grid, threads)
                .fault(order, &counters);
    if (library == nullptr) {
      EXPECT_EQ(fault, "");
    }
  }
};

}  // namespace emberline::metal_sim
