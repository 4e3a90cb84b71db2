// A toy model on the GPU, and the same on the CPU or in double precision.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <vector>

#include "device/cpu/cpu_device.h"
#include "gpu_fixture.h"
#include "toy_pass.h"

namespace emberline::testing {

// Shapes as real models have them, small: two query heads share one head of keys and values.
inline ToyModel gpu_toy(TensorType type = TensorType::kF32) {
  ToyModel toy;
  toy.width = 128;
  toy.hidden = 192;
  toy.heads = 2;
  toy.kv_heads = 1;
  toy.head_width = 64;
  toy.context = 256;
  toy.type = type;
  toy.output_type = type;
  if (traits(type).block_elements == 256) {
    toy.width = toy.hidden = 256;
    toy.heads = 4;
  }
  return toy;
}

inline std::unique_ptr<Device> float_cpu() {
  return take(make_cpu_device({.threads = 1}));
}

inline constexpr SamplingBlock kToySampling{.temperature = 0.8f,
                                            .top_p = 0.95f,
                                            .min_p = 0.05f,
                                            .repeat_penalty = 1.1f,
                                            .top_k = 40,
                                            .penalty_window = 64,
                                            .seed_low = 5,
                                            .seed_high = 0};
inline constexpr const SamplingBlock* kGreedyAndSampled[] = {nullptr, &kToySampling};

// The tokens of a chain in chunks of these sizes, each submitted before the one in front of it is waited for.
inline std::vector<TokenId> run_chain(ForwardPass& pass, TokenId first, const ChainRequest& request,
                                      std::span<const std::uint32_t> chunks) {
  const std::unique_ptr<Chain> chain = take(pass.begin_chain(first, request));
  std::vector<TokenId> tokens;
  std::size_t submitted = 0, waited = 0;
  do {
    while (submitted < chunks.size() && submitted < waited + 2) {
      const Status status = chain->submit(chunks[submitted++]);
      EXPECT_TRUE(status.ok()) << status.message();
    }
    const ChainResult chunk = take(chain->wait());
    ++waited;
    tokens.insert(tokens.end(), chunk.tokens.begin(), chunk.tokens.end());
  } while (chain->under_way());
  return tokens;
}

}  // namespace emberline::testing
