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
//   - The draw is the inverse of the cumulative distribution at the uniform number of (seed, position), in
//     the order of distribution.h; or, as a GPU draws, by the argmax of Gumbel noise (gumbel_noise.h), with
//     the same float32 operations as there: the same token for the same logits. A token of zero probability
//     is never drawn.
//   - A logit of -inf means masked: probability 0, never kept, never drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "sampling/distribution.h"
#include "sampling/mass_law.h"
#include "sampling/sampling_params.h"
#include "sampling/scanned_logits.h"
#include "sampling/top_p/top_p.h"

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
  explicit Sampler(const SamplingKernels& kernels = best_sampling_kernels()) : kernels_(&kernels) {}
  const SamplingKernels& kernels() const { return *kernels_; }

  // Makes room for `vocabulary` logits ahead of time; the other calls do it too.
  void reserve(std::size_t vocabulary);

  // Draws the token at absolute position `position`. `logits`: [vocabulary], masked by the caller where a
  // token is not allowed. `history`: the tokens before `position`, oldest first; the last
  // params.penalty_window of them are penalised, each distinct token once; ids outside the vocabulary are
  // ignored.
  //
  // INVALID_ARGUMENT for no logits or parameters outside their range (see check_sampling_params),
  // LOGITS_NOT_FINITE for a NaN or +inf among the logits, ALL_TOKENS_MASKED when every logit is -inf.
  Result<Draw> sample(std::span<const float> logits, std::span<const std::uint32_t> history,
                      const SamplingParams& params, std::uint64_t position);

  // The law that sample() draws by, into `out`, whose memory is reused; greedy: the one token it takes, with
  // mass and total 1. Without noise sample() gives draw_from(out, random_uniform(seed, position, kSample)),
  // and spares itself putting a large nucleus in order. The same errors.
  Status distribution(std::span<const float> logits, std::span<const std::uint32_t> history,
                      const SamplingParams& params, Distribution& out);

  // log softmax(logits)[token], <= 0; -inf for a masked token; NaN where a logit is not finite or all are
  // masked. `token` < logits.size().
  float log_probability(std::span<const float> logits, std::uint32_t token) const;

 private:
  // The logits to draw from, and of those given the largest.
  struct Adjusted {
    ScannedLogits logits;
    ScannedLogits raw;
  };
  Result<Adjusted> adjust(std::span<const float> logits, std::span<const std::uint32_t> history,
                          const SamplingParams& params);
  void penalise(std::span<const float> logits, std::span<const std::uint32_t> history,
                const SamplingParams& params);
  // `total`: the mass of all tokens where it is known, else 0.
  Nucleus survivors(const ScannedLogits& logits, const MassLaw& law, const SamplingParams& params,
                    std::uint64_t total);
  float kth_largest_block(const ScannedLogits& logits, std::size_t k);

  const SamplingKernels* kernels_;
  std::vector<float> penalised_;     // [vocabulary] logits after the penalty
  std::vector<std::uint64_t> seen_;  // one bit a token: already penalised; all zero between calls
  std::vector<float>
      block_largest_;   // [3, blocks]: of the logits as given, of the penalised ones, and in another order
  NucleusSpace space_;  // the rank keys of the survivors
  std::size_t vocabulary_ = 0;  // what there is room for
};

// OK, or INVALID_ARGUMENT with a sentence that names the parameter: temperature, top_p and min_p must not be
// NaN, temperature must not be infinite, repeat_penalty must be positive and finite.
Status check_sampling_params(const SamplingParams& params);

}  // namespace emberline
