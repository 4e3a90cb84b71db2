// The argmax kernel on rows of logits.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "chain_state.h"
#include "function_constants.h"
#include "kernel_launch.h"
#include "launch_shapes.h"
#include "op_params.h"

namespace emberline::metal_sim {

// Rows of logits, and where their tokens go.
struct ArgmaxRun {
  static constexpr std::uint32_t kNoToken = 0xAAAAAAAAu;

  std::uint32_t vocabulary = 0;
  std::uint32_t position = 0;
  std::uint32_t rows = 1;
  bool chained = false, indirect = false, scores = false;
  std::vector<float> logits;
  std::vector<float> raw_logits;      // where `scores`
  std::vector<float> normalizer;      // where `scores`
  std::vector<std::uint32_t> chain;   // ChainState and stop set
  std::vector<std::uint32_t> grids;   // where `indirect`
  std::vector<std::uint32_t> tokens;  // results, by position
  std::vector<float> log_probs;
  Counters counters;
  const Library* library = nullptr;  // where not the shipped kernels
  std::string fault;                 // none of the shipped kernels'

  explicit ArgmaxRun(std::vector<float> row, std::uint32_t row_count = 1)
      : vocabulary(static_cast<std::uint32_t>(row.size()) / row_count),
        rows(row_count),
        logits(std::move(row)) {
    chain.assign(sizeof(ChainState) / 4, 0);
  }
  ChainState& state() { return *reinterpret_cast<ChainState*>(chain.data()); }
  void stop_at(std::uint32_t token) {
    const std::size_t words = vocabulary / 32 + 1;
    chain.resize(sizeof(ChainState) / 4 + words);
    state().stop_words = static_cast<std::uint32_t>(words);
    chain[sizeof(ChainState) / 4 + token / 32] |= 1u << (token % 32);
  }

  ArgmaxRun& run(Order order = {}, std::uint32_t threads = kLogitThreads) {
    tokens.assign(position + rows + 2, kNoToken);
    log_probs.assign(position + rows + 2, -12345.0f);
    KernelLaunch launch(library != nullptr ? *library : shipped_kernels(), "argmax",
                        {constant_bool(kConstantChained, chained), constant_bool(kConstantIndirect, indirect),
                         constant_bool(kConstantHasRawLogits, scores)});
    launch.params(ArgmaxParams{.vocabulary = vocabulary, .last_row_only = 0, .position = position})
        .buffer(1, chain)
        .buffer(2, logits)
        .buffer(3, tokens)
        .buffer(4, log_probs)
        .grid({rows, 1, 1}, threads);
    if (scores) launch.buffer(5, raw_logits).buffer(6, normalizer);
    if (indirect) launch.buffer(30, grids);
    fault = launch.fault(order, &counters);
    if (library == nullptr) {
      EXPECT_EQ(fault, "");
    }
    return *this;
  }
  std::uint32_t token(std::uint32_t row = 0) const { return tokens[position + row + 1]; }
  float log_prob(std::uint32_t row = 0) const { return log_probs[position + row + 1]; }
};

}  // namespace emberline::metal_sim
