// Which drafted tokens stay: the step of speculative decoding that keeps the law of the output what the
// target model's is, whatever was drafted.
//
// Source: Chen, Borgeaud, Irving, Lespiau, Sifre and Jumper, "Accelerating large language model decoding with
// speculative sampling" (arXiv 2302.01318), algorithm 2; the same as Leviathan, Kalman and Matias (arXiv
// 2211.17192). A round drafts tokens for the positions n, n+1, ...; the target model evaluates them in one
// batch; then, position by position, decide() keeps the drafted token or replaces it, and the round ends at
// the first that was replaced. Where all were kept, one more is drawn from the logits behind the last.
//
// A drafted token x, drawn from the draft's law q, is kept with probability min(1, p(x) / q(x)), where p is
// the target's law; its replacement is drawn from (p - q)+, normalised. Probabilities are ratios of integers
// (sampling/distribution.h) and computed with in float64: each token comes out with its target probability to
// within n 2^-53 for a target law of n tokens, by the sum that normalises.
//
// A draft without a law (prompt lookup, forced tokens, a greedy draft model) proposes without chance: there
// the rule is to draw from the target, with the very number that plain decode draws with, and to compare. So
// the ids of a seed are the same with and without such a draft, at every temperature.
//
// Numbers for a position are drawn again when a later round drafts it again: those of the round before
// decided nothing that was kept.
#pragma once

#include <cstdint>
#include <vector>

#include "sampling/distribution.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

// Owned by the caller and reused: nothing is allocated after reserve(). Not thread-safe.
class Acceptance {
 public:
  // Makes room for tokens below `vocabulary`, the target's.
  void reserve(std::uint32_t vocabulary);

  // `drafted`, or what stands in its place. `target`: the target's law, its tokens below the reserved
  // vocabulary. `draft`: the law that `drafted` was drawn from. `acceptance`, `residual`: the position's
  // uniform numbers of RandomStream::kAccept and kResidual.
  TokenId decide(const Distribution& target, const Distribution& draft, TokenId drafted, double acceptance,
                 double residual);

 private:
  TokenId replacement(const Distribution& target, const Distribution& draft, double uniform);

  std::vector<double> draft_probability_;  // [vocabulary], all zero between calls
  std::vector<double> cumulative_;         // of the residual law, in the order of the target's tokens
};

}  // namespace emberline
