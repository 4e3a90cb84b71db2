// The bytes that a chain moves on the simulated GPU, a token.
#pragma once

#include <cstdint>
#include <functional>

#include "toy_pass.h"

namespace emberline {

struct TokenTraffic {
  double weights = 0;             // bytes read of weight matrices
  double kv = 0;                  // of keys and values
  double activation_rereads = 0;  // of everything else but logits, beyond once a command that needs it
  double logit_rereads = 0;       // of logits and scores by the sampler and argmax, beyond once each
};

// While `run` runs a chain of `steps` steps of `pass`, all of which run.
TokenTraffic traffic_of(const testing::ToyPass& pass, bool sampled, std::uint32_t steps,
                        const std::function<void()>& run);

}  // namespace emberline
