// The token that greedy decoding takes, its log-probability, and the end of a step of a chain.
//
// Launch: one threadgroup of kLogitThreads threads a row (launch_shapes.h). Reads the logits once; with
// HAS_RAW_LOGITS, behind the sampler, one more word each of raw_logits and normalizer. Writes one token and
// one log-probability a row, at its position: what the next step's embedding reads.
//
// One threadgroup, because whoever combined the results of several would have to wait for them or cost a
// dispatch. It is the last command of a step, so it alone says how far the chain came and looks for the token
// in the stop set.
#pragma once

#include <metal_stdlib>

#include "chain_guard.h"
#include "chain_state.h"
#include "function_constants.h"
#include "logit_scan.h"
#include "op_params.h"

using namespace metal;

// The stop set lies behind the state.
inline bool in_stop_set(device const ChainState* chain, uint token) {
  device const uint* words = (device const uint*)(chain + 1);
  return token / 32 < chain->stop_words && ((words[token / 32] >> (token % 32)) & 1u) != 0;
}

// The end of a step of a chain that evaluated `position` and chose `token`; called by one thread. usable:
// false where there was no token to choose, and nothing was written.
inline void end_step(constant ArgmaxParams& p, device ChainState* chain, device uint* grids, uint token,
                     bool usable) {
  if (!usable) {
    halt_chain(chain, kHaltedByLogits, p.position, grids);
  } else if (in_stop_set(chain, token)) {
    halt_chain(chain, kHaltedByStop, p.position + 1, grids);
  } else {
    chain->end = p.position + 1;
  }
}

inline void argmax_row(constant ArgmaxParams& p, device ChainState* chain, device const float* logits,
                       device uint* tokens, device float* log_probs, device const float* raw_logits,
                       device const float* normalizer, device uint* grids,
                       threadgroup LogitPartials& partials, uint row, ThreadPlace place) {
  const LogitSummary summary = summarise_logits(logits + ulong(row) * p.vocabulary, p.vocabulary,
                                                HAS_RAW_LOGITS, !HAS_RAW_LOGITS, partials, place);
  if (place.index != 0) return;
  const bool usable = summary.key > kMaskedKey && summary.key != kUnusableKey;
  if (usable) {
    const uint to = p.position + row + 1;
    tokens[to] = summary.id;
    log_probs[to] = HAS_RAW_LOGITS ? raw_logits[ulong(row) * p.vocabulary + summary.id] - normalizer[row]
                                   : -log(summary.sum);
  }
  if (CHAINED) {
    end_step(p, chain, grids, summary.id, usable);
  } else if (!usable) {
    // Several rows may say so at once.
    atomic_store_explicit((device atomic_uint*)&chain->halted, kHaltedByLogits, memory_order_relaxed);
  }
}
