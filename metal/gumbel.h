// The sampler: logits in, scores out, whose argmax is a draw from the law of
// native/sampling/sampling_params.h.
//
//   scores[id] = gumbel_noise(seed, position + 1, id) - (largest - z[id]) / T   where id survives the filters
//              = -inf                                                           elsewhere
//
// with z the logits after the repetition penalty and `largest` the largest of them; without a temperature the
// scores are z. Everything is float32, or integers where a token's survival depends on it (softmax_mass.h),
// so the survivors are those of the CPU's sampler, and the scores the same bits for the same logits
// everywhere.
//
// Launch: one threadgroup of kLogitThreads threads a row (launch_shapes.h); row r is the r-th of a batch.
// Reads the logits of a row: once for the normalizer; once more where the penalty is on, which writes them to
// the scores and goes on with those; twice for the survivors (survivors.h) where top-k or top-p is on; once
// for the scores. That is up to 5 times 100 to 600 KiB by one core, from its caches from the second time on,
// in 10 to 100 microseconds: one threadgroup, because the passes depend on one another and threadgroups must
// not wait for one another. Noise costs nothing where few survive: a thread takes four neighbouring tokens,
// and skips the hash where none of the four was kept.
//
// The penalty needs no list of distinct tokens: each token of the window writes the penalised raw logit, so a
// token that occurs twice is written the same value twice.
//
// A row with a logit that is not finite, or with every token masked, gets a NaN for a score, which argmax
// reports.
#pragma once

#include <metal_stdlib>

#include "chain_guard.h"
#include "function_constants.h"
#include "gumbel_noise.h"
#include "launch_shapes.h"
#include "logit_scan.h"
#include "op_params.h"
#include "softmax_mass.h"
#include "survivors.h"

using namespace metal;

struct GumbelMemory {
  LogitPartials partials;
  SurvivorMemory survivors;
};
static_assert(sizeof(GumbelMemory) <= kGumbelThreadgroupBytes, "what the host sets");

// Copies the logits to the scores, and penalises the tokens tokens[position + 1 - window .. position] there.
inline void penalise_window(device const float* logits, uint vocabulary, device const uint* tokens,
                            uint position, uint window, float penalty, device float* scores,
                            ThreadPlace place) {
  for (uint id = place.index; id < vocabulary; id += place.threads) scores[id] = logits[id];
  threadgroup_barrier(mem_flags::mem_device);
  const uint length = min(window, position + 1);
  for (uint i = place.index; i < length; i += place.threads) {
    const uint token = tokens[position - i];
    if (token >= vocabulary) continue;
    // Threads with the same token write the same value; atomic, so that this is no race.
    atomic_store_explicit((device atomic_uint*)(scores + token),
                          float_bits(penalised_logit(logits[token], penalty)), memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_device |
                      mem_flags::mem_threadgroup);  // also: partial results have been read
}

// A filter of single tokens: those that min_p and the boundary of top-k and top-p leave.
struct Survival {
  uint64_t boundary;    // token_order of the last one
  uint64_t least_mass;  // 0: off
};

inline bool survives(float logit, uint id, Tempered law, Survival survival) {
  const uint key = logit_key(logit);
  if (key <= kMaskedKey || token_order(key, id) < survival.boundary) return false;
  return survival.least_mass == 0 || mass_of(exponent_of(law, logit)) >= survival.least_mass;
}

inline void write_scores(device const float* row, uint count, Tempered law, Survival survival,
                         constant SamplingBlock& sampling, uint position, device float* scores,
                         ThreadPlace place) {
  const float inverse = 1.0f / effective_temperature(sampling.temperature);
  for (uint first = 4 * place.index; first < count; first += 4 * place.threads) {
    const float4 logits = load_quad_or_masked(row, first, count);
    bool kept[4];
    bool any_kept = false;
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
      kept[i] = survives(logits[i], first + i, law, survival);
      any_kept = any_kept || kept[i];
    }
    float4 noise = float4(0.0f);
    if (any_kept) {
      float g0, g1, g2, g3;
      gumbel_noise_of_quad(sampling.seed_low, sampling.seed_high, position, first / 4, g0, g1, g2, g3);
      noise = float4(g0, g1, g2, g3);
    }
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
      if (first + i >= count) continue;
      scores[first + i] = kept[i] ? fma(-(law.largest - logits[i]), inverse, noise[i]) : -INFINITY;
    }
  }
}

inline void sample_row(constant SamplingBlock& sampling, device const float* logits, uint vocabulary,
                       device const uint* tokens, uint position, device float* scores,
                       device float* normalizer, threadgroup GumbelMemory& memory, ThreadPlace place) {
  LogitSummary summary = summarise_logits(logits, vocabulary, true, true, memory.partials, place);
  if (summary.key <= kMaskedKey || summary.key == kUnusableKey) {
    if (place.index == 0) scores[0] = NAN;
    return;
  }
  if (place.index == 0) normalizer[0] = summary.largest + log(summary.sum);

  device const float* row = logits;
  if (sampling.repeat_penalty != 1.0f && sampling.penalty_window > 0) {
    penalise_window(logits, vocabulary, tokens, position, sampling.penalty_window, sampling.repeat_penalty,
                    scores, place);
    row = scores;
    summary = summarise_logits(row, vocabulary, true, false, memory.partials, place);
  }
  if (!(sampling.temperature > 0.0f)) {
    if (row == logits) {
      for (uint id = place.index; id < vocabulary; id += place.threads) scores[id] = logits[id];
    }
    return;
  }

  Tempered law;
  law.largest = key_logit(summary.key);
  law.scale = mass_scale(sampling.temperature);
  Survival survival;
  survival.boundary = 0;
  survival.least_mass = sampling.min_p > 0.0f && sampling.min_p <= 1.0f ? min_p_mass(sampling.min_p) : 0;
  // A min_p above 1 drops everything but the first.
  const uint top_k = sampling.min_p > 1.0f ? 1u : sampling.top_k > 0 ? uint(sampling.top_k) : 0xFFFFFFFFu;
  if (top_k < vocabulary || sampling.top_p < 1.0f) {
    survival.boundary =
        survivor_boundary(row, vocabulary, law, top_k, sampling.top_p, memory.survivors, place);
  }
  // Where the row is the scores themselves, every thread overwrites only what it has read.
  threadgroup_barrier(mem_flags::mem_device);
  write_scores(row, vocabulary, law, survival, sampling, position + 1, scores, place);
}
