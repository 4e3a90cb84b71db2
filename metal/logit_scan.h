// One pass of a threadgroup over a row of logits: the largest, the lowest id among equals, and the sum of
// exponentials.
//
// A row is some 100 to 600 KiB, read by one core, so what counts is how many loads are under way: each thread
// asks for four times 16 bytes before it looks at the first. The largest logit is found as an integer
// (softmax_mass.h), which tells ties, masked logits and those that are not finite apart without comparing
// floats; the sum is kept relative to the largest so far, so one pass is enough.
//
// Any number of whole simdgroups up to 32 does. The maximum does not depend on it; the sum does in its last
// bits.
#pragma once

#include <metal_stdlib>

#include "softmax_mass.h"
#include "thread_place.h"

using namespace metal;

// Keys above every finite logit's, for a row that cannot be used.
constant constexpr uint kUnusableKey = 0xFFFFFFFFu;
// Blocks of four logits that a thread loads at once.
constant constexpr uint kQuadsAtOnce = 4;

// What is known of a part of the row.
struct LogitSummary {
  uint key;       // of the largest logit (logit_key); kUnusableKey where one of them is not allowed
  uint id;        // the lowest with this key
  float largest;  // what sum is relative to: the largest logit, or the lowest finite number
  float sum;      // of exp(logit - largest)
};

// One word a simdgroup of each field.
struct LogitPartials {
  uint key[32];
  uint id[32];
  float largest[32];
  float sum[32];
};

inline void scan_logit(thread LogitSummary& summary, float logit, uint id, bool masks_allowed) {
  uint key = logit_key(logit);
  const bool masked = key == kMaskedKey && masks_allowed;
  if (!masked && (key <= kMaskedKey || key > kLargestFiniteKey)) key = kUnusableKey;
  if (key > summary.key) {
    summary.key = key;
    summary.id = id;
  }
}

// Adds four exponentials; masked logits add nothing.
inline void add_exponentials(thread LogitSummary& summary, float4 logits) {
  const float largest = max(max(logits.x, logits.y), max(logits.z, logits.w));
  float rescale = 1.0f;
  if (largest > summary.largest) {
    rescale = exp(summary.largest - largest);
    summary.largest = largest;
  }
  const float sum = (exp(logits.x - summary.largest) + exp(logits.y - summary.largest)) +
                    (exp(logits.z - summary.largest) + exp(logits.w - summary.largest));
  summary.sum = fma(summary.sum, rescale, sum);
}

inline void scan_quad(thread LogitSummary& summary, float4 logits, uint id, bool masks_allowed,
                      bool with_sum) {
  scan_logit(summary, logits.x, id, masks_allowed);
  scan_logit(summary, logits.y, id + 1, masks_allowed);
  scan_logit(summary, logits.z, id + 2, masks_allowed);
  scan_logit(summary, logits.w, id + 3, masks_allowed);
  if (with_sum) add_exponentials(summary, logits);
}

// The summary of a simdgroup's lanes, in every lane.
inline LogitSummary join_lanes(LogitSummary own) {
  LogitSummary all;
  all.key = simd_max(own.key);
  all.id = simd_min(own.key == all.key ? own.id : 0xFFFFFFFFu);
  all.largest = simd_max(own.largest);
  all.sum = simd_sum(own.sum * exp(own.largest - all.largest));
  return all;
}

// Four logits from `id` on, where all exist; they need not be aligned to more than one.
inline float4 load_quad(device const float* row, uint id) {
  return float4(*(device const packed_float4*)(row + id));
}

// The same for any id; logits from `count` on are masked.
inline float4 load_quad_or_masked(device const float* row, uint id, uint count) {
  if (id + 4 <= count) return load_quad(row, id);
  float4 logits = float4(-INFINITY);
  for (uint i = 0; id + i < count; ++i) logits[i] = row[id + i];
  return logits;
}

// Summarises row[0..count), in every thread. masks_allowed: -inf counts as a masked logit, not as an unusable
// one. with_sum: `sum` is wanted. All threads call it; partials is free again after the caller's next
// barrier.
inline LogitSummary summarise_logits(device const float* row, uint count, bool masks_allowed, bool with_sum,
                                     threadgroup LogitPartials& partials, ThreadPlace place) {
  LogitSummary own;
  own.key = 0;
  own.id = 0xFFFFFFFFu;
  own.largest = -3.402823466e38f;
  own.sum = 0.0f;
  const uint quads = count / 4;
  for (uint first = place.index; first < quads; first += kQuadsAtOnce * place.threads) {
    float4 loaded[kQuadsAtOnce];
#pragma unroll
    for (uint i = 0; i < kQuadsAtOnce; ++i) {
      const uint quad = first + i * place.threads;
      if (quad < quads) loaded[i] = load_quad(row, 4 * quad);
    }
#pragma unroll
    for (uint i = 0; i < kQuadsAtOnce; ++i) {
      const uint quad = first + i * place.threads;
      if (quad < quads) scan_quad(own, loaded[i], 4 * quad, masks_allowed, with_sum);
    }
  }
  const uint last = 4 * quads + place.index;
  if (last < count) {
    const float logit = row[last];
    scan_logit(own, logit, last, masks_allowed);
    if (with_sum) add_exponentials(own, float4(logit, -INFINITY, -INFINITY, -INFINITY));
  }

  const LogitSummary joined = join_lanes(own);
  if (place.lane == 0) {
    partials.key[place.simdgroup] = joined.key;
    partials.id[place.simdgroup] = joined.id;
    partials.largest[place.simdgroup] = joined.largest;
    partials.sum[place.simdgroup] = joined.sum;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  // Every simdgroup joins the partial results again: cheaper than a second barrier.
  LogitSummary partial;
  partial.key = 0;
  partial.id = 0xFFFFFFFFu;
  partial.largest = -3.402823466e38f;
  partial.sum = 0.0f;
  if (place.lane < place.simdgroups) {
    partial.key = partials.key[place.lane];
    partial.id = partials.id[place.lane];
    partial.largest = partials.largest[place.lane];
    partial.sum = partials.sum[place.lane];
  }
  return join_lanes(partial);
}
