#include <cmath>
#include <cstring>

#include "device/metal/self_test.h"
#include "device/metal/self_test_table.h"

namespace emberline::metal {
namespace {

constexpr std::uint32_t kTokens = 8, kPosition = 6;
constexpr std::uint32_t kSeedLow = 0x89ABCDEF, kSeedHigh = 0x01234567;
// The law's noise (sampling/gumbel_noise.h) for tokens 0 to 7 at position 7 with this seed.
constexpr double kNoise[kTokens] = {0.73600128371,  -0.06380389374, 0.16027198263, -0.43619644223,
                                    -0.53625286910, -0.65219365994, 1.29381649780, -0.28598997187};

}  // namespace

// Of eight logits one is penalised out of the top four; the scores of those four are what the law says, and
// all others are -infinity.
Status self_test_sampler(Device& device) {
  SelfTestTable table(device);
  const std::vector<float> logits = {0.5f, 3.0f, -1.0f, 2.0f, 2.5f, 4.0f, 1.5f, -2.0f};
  std::vector<std::uint32_t> history(kPosition + 2);
  history[kPosition] = 3;  // 2.0 becomes 1.0
  const SamplingBlock sampling{0.5f, 1.0f, 0.0f, 2.0f, 4, 1, kSeedLow, kSeedHigh};
  std::vector<std::uint32_t> block(sizeof(sampling) / sizeof(std::uint32_t));
  std::memcpy(block.data(), &sampling, sizeof(sampling));
  const Binding scores = table.zeros(kTokens * sizeof(float)), normalizer = table.zeros(sizeof(float));
  using Slot = slot::Gumbel;
  Command& command = table.add(Op::kGumbel,
                               {{Slot::kLogits, table.floats(logits)},
                                {Slot::kTokens, table.words(history)},
                                {Slot::kSampling, table.words(block)},
                                {Slot::kScores, scores},
                                {Slot::kNormalizer, normalizer}},
                               GumbelParams{kTokens});
  command.patch = Patch::kPosition;
  table.run(1, kPosition);

  double mass = 0;
  for (const float logit : logits) mass += std::exp(double{logit});
  table.expect("the sampler's normalizer", table.read(normalizer, 1), {std::log(mass)});
  const std::vector<float> actual = table.read(scores, kTokens);
  for (const std::uint32_t token : {1u, 4u, 5u, 6u}) {
    table.expect("the sampler's scores", {actual[token]},
                 {kNoise[token] - (4.0 - logits[token]) / sampling.temperature});
  }
  for (const std::uint32_t token : {0u, 2u, 3u, 7u})
    table.expect("the sampler's choice", std::isinf(actual[token]) && actual[token] < 0);
  return table.status();
}

}  // namespace emberline::metal
