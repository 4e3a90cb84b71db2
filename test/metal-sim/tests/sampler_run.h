// The sampler kernel on rows of logits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "chain_state.h"
#include "decode/sampling_block.h"
#include "function_constants.h"
#include "kernel_launch.h"
#include "launch_shapes.h"
#include "sampling/sampling_params.h"

namespace emberline::metal_sim {

// The rows' last evaluated positions are position, position + 1, ...; `tokens` are all tokens by position.
struct SamplerRun {
  std::vector<float> logits;
  std::uint32_t vocabulary = 0;
  std::vector<std::uint32_t> tokens = {0};
  std::uint32_t position = 0;
  SamplingParams params;
  std::uint32_t rows = 1;
  std::uint32_t threads = kLogitThreads;
  bool checked = true;
  const Library* library = nullptr;  // where not the shipped kernels
  bool chained = false;
  std::vector<ChainState> chain = std::vector<ChainState>(1);

  std::vector<float> scores;  // results
  std::vector<float> normalizer;
  std::string fault;  // none of the shipped kernels'
  Counters counters;

  SamplerRun() = default;
  SamplerRun(std::vector<float> row, const SamplingParams& wanted)
      : logits(std::move(row)), vocabulary(static_cast<std::uint32_t>(logits.size())), params(wanted) {}

  SamplerRun& run(Order order = {}) {
    std::vector<SamplingBlock> block = {sampling_block(params)};
    scores.assign(logits.size(), kUntouched);
    normalizer.assign(rows, kUntouched);
    const Library& kernels = library != nullptr ? *library : shipped_kernels(checked);
    fault = KernelLaunch(kernels, "gumbel", {constant_bool(kConstantChained, chained)})
                .params(GumbelParams{.vocabulary = vocabulary, .position = position})
                .buffer(1, chain)
                .buffer(2, logits)
                .buffer(3, tokens)
                .buffer(4, block)
                .buffer(5, scores)
                .buffer(6, normalizer)
                .threadgroup_bytes(0, kGumbelThreadgroupBytes)
                .grid({rows, 1, 1}, threads)
                .fault(order, &counters);
    if (library == nullptr) {
      EXPECT_EQ(fault, "");
    }
    return *this;
  }

  // What argmax takes of a row: the lowest id among the largest.
  std::uint32_t drawn(std::uint32_t row = 0) const {
    const auto first = scores.begin() + static_cast<std::ptrdiff_t>(std::size_t{row} * vocabulary);
    return static_cast<std::uint32_t>(std::max_element(first, first + vocabulary) - first);
  }
  // Tokens with a score, in the order of their ids.
  std::vector<std::uint32_t> survivors() const {
    std::vector<std::uint32_t> kept;
    for (std::uint32_t id = 0; id < vocabulary; ++id) {
      if (!std::isinf(scores[id])) kept.push_back(id);
    }
    return kept;
  }

  static constexpr float kUntouched = -12345.0f;
};

}  // namespace emberline::metal_sim
