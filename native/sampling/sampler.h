// Logits in, one token out: the CPU sampling pipeline.
//
// The law is the one SamplingParams states. Details that make a result reproducible:
//   - Logits are compared after the penalty; equal logits (0 and -0 are equal) are ordered by id. Softmax is
//     strictly increasing, so "p descending, id ascending" is "logit descending, id ascending", without
//     rounding in between.
//   - Weights exp((z - z_max) / T) are the integers of softmax_mass.h, so their sums are exact: which tokens
//     survive is the same on every device.
//   - A penalised logit that leaves the range of float32 is clamped to it: a penalty never masks a token. A
//     denormal one is 0.
//   - The draw is the inverse of the cumulative distribution, walked in (p descending, id ascending)
//     order, at the uniform number of (seed, position). A token of zero probability is never drawn. A GPU
//     draws by the argmax of Gumbel noise instead (gumbel_noise.h): by the same law, with other numbers.
//   - A logit of -inf means masked: probability 0, never kept, never drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "sampling/sampling_params.h"

namespace emberline {

struct Draw {
  std::uint32_t token = 0;
  float log_prob = 0;  // log softmax(logits as given)[token]: before penalty, temperature and filters; <= 0
  float prob = 1;      // probability of this draw after all filters, (0, 1]; 1 when greedy
};

// Owned by the caller and reused: after the first call with a vocabulary nothing is allocated. Not
// thread-safe.
class Sampler {
 public:
  // Makes room for `vocabulary` logits ahead of time; sample() does it too. OUT_OF_MEMORY when it cannot be
  // had.
  Status reserve(std::size_t vocabulary);

  // Draws the token at absolute position `position`. `logits`: [vocabulary], masked by the caller where a
  // token is not allowed. `history`: the tokens before `position`, oldest first; the last
  // params.penalty_window of them are penalised, each distinct token once; ids outside the vocabulary are
  // ignored.
  //
  // INVALID_ARGUMENT for no logits or parameters outside their range (see check_sampling_params),
  // LOGITS_NOT_FINITE for a NaN or +inf among the logits, ALL_TOKENS_MASKED when every logit is -inf.
  Result<Draw> sample(std::span<const float> logits, std::span<const std::uint32_t> history,
                      const SamplingParams& params, std::uint64_t position);

  // The same for IEEE binary16 logits; the result equals that of the widened logits.
  Result<Draw> sample_f16(std::span<const std::uint16_t> logits, std::span<const std::uint32_t> history,
                          const SamplingParams& params, std::uint64_t position);

  // The tokens that survived the filters of the last successful sample(), most probable first; empty when no
  // filter was on (every unmasked token survived) or the draw was greedy. Valid until the next call.
  std::span<const std::uint32_t> kept() const { return kept_; }

 private:
  void penalise(std::span<const float> logits, std::span<const std::uint32_t> history,
                const SamplingParams& params);
  Draw draw(std::span<const float> logits, float largest, const SamplingParams& params, double uniform);
  std::uint32_t candidate(std::size_t rank);  // the token of this rank; sorts further when it has to

  std::vector<float> widened_;       // [vocabulary] binary16 input as float32
  std::vector<float> penalised_;     // [vocabulary] logits after the penalty
  std::vector<std::uint64_t> seen_;  // one bit a token: already penalised; all zero between calls
  std::vector<std::uint64_t>
      order_;                   // sort keys of the unmasked tokens; the first sorted_ are in final order
  std::size_t candidates_ = 0;  // how many tokens are not masked
  std::size_t sorted_ = 0;
  std::vector<std::uint32_t> kept_;
};

// OK, or INVALID_ARGUMENT with a sentence that names the parameter: temperature, top_p and min_p must not be
// NaN, temperature must not be infinite, repeat_penalty must be positive and finite.
Status check_sampling_params(const SamplingParams& params);

// The lowest id among the largest logits. LOGITS_NOT_FINITE and ALL_TOKENS_MASKED as above.
Result<std::uint32_t> argmax(std::span<const float> logits);

// log softmax(logits)[token], float64 inside; -inf for a masked token. `token` < logits.size(); finite or
// -inf logits.
float log_probability(std::span<const float> logits, std::uint32_t token);

}  // namespace emberline
