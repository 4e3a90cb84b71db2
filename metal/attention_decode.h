// Attention of 1 to 16 rows over the paged KV cache: decode, and the verification of drafts.
//
// A KV head's keys and values are of use to all query heads that share it, so one threadgroup takes them
// together: at decode every valid byte of the cache is read exactly once a token. Each row of a batch has a
// threadgroup of its own: verification is short of cores to run on (a model has 2 to 8 KV heads), not of
// bandwidth, and rows that know nothing of one another are bit-equal to single forwards. More than
// kDecodeHeads query heads a KV head are split over threadgroups.
//
// Within a threadgroup a team of LANES lanes takes one entry at a time, 8 elements a lane: a key is read in
// 16-byte pieces that lie side by side, whole cache lines at head widths from 64 on. Entries go to the teams
// in a fixed order: simdgroups take blocks of kUnroll * (32 / LANES) entries in turn, and a team those
// at its place in each. The unrolled entries' keys and values are all on their way before the first is used,
// and share one rescaling. Every team keeps its own online softmax (Milakov and Gimelshein, "Online
// normalizer calculation for softmax", 2018) in registers, base 2: the query is multiplied by scale * log2(e)
// at the start. Teams meet once, at the end: those of a simdgroup by shuffles, simdgroups through threadgroup
// memory, as the exact merge of (largest, sum, weighted values).
//
// Behind a sliding window the teams begin with the block that has its first entry; what lies in front of it
// is neither read nor weighed: it may be anything.
//
// Registers decide: 16 a query head and lane for query and result, 32 for the entries under way, kept as
// halves. 512 threads where up to 3 heads share an entry, 384 for 4, else 256, with the queries in
// threadgroup memory: one core alone must keep enough loads under way.
//
// Launch: attention_decode_parts, attention_decode_threads (launch_shapes.h): x = KV heads, y = parts of
// their query heads, z = rows. Every team reads its queries once, from the cache but for the first, and one
// page number a block of entries; out is written once.
#pragma once

#include <metal_stdlib>

#include "chain_guard.h"
#include "function_constants.h"
#include "launch_shapes.h"
#include "op_params.h"
#include "soft_capping.h"
#include "thread_place.h"

using namespace metal;

// The lowest finite number: largest score of no entries. Finite, so that differences of two of them are 0 and
// not NaN.
constant constexpr float kNoScore = -3.402823466e38f;
constant constexpr float kLog2E = 1.44269504f;

// The key or value row of an entry: where page `page` of the layer has position `slot` of this KV head.
inline device const half* cache_row(device const half* cache, constant AttentionParams& p, uint page,
                                    uint slot, uint kv_head) {
  device const uchar* bytes = (device const uchar*)cache + ulong(page) * p.page_stride;
  return (device const half*)bytes + (ulong(slot) * p.kv_heads + kv_head) * p.head_width;
}

// 8 elements.
struct Slice {
  float4 low, high;
};
inline Slice zero_slice() {
  Slice slice;
  slice.low = float4(0.0f);
  slice.high = float4(0.0f);
  return slice;
}
// 8 elements of a key or value, as the cache has them: half the registers, and Apple GPUs take halves as
// operands of float32 operations.
struct CacheSlice {
  half4 low, high;
};
inline CacheSlice zero_cache_slice() {
  CacheSlice slice;
  slice.low = half4(0.0h);
  slice.high = half4(0.0h);
  return slice;
}
inline CacheSlice load_slice(device const half* from) {
  CacheSlice slice;
  slice.low = *(device const half4*)from;
  slice.high = *(device const half4*)(from + 4);
  return slice;
}

// One team's result for one query head. The lanes of a team share largest and sum, and have 8 elements each
// of values.
struct SoftmaxState {
  float largest;  // score, base 2
  float sum;      // of 2^(score - largest)
  Slice values;   // the same sum, weighted by the values
};

template <uint LANES>
inline float sum_over_team(float value) {
  for (ushort step = LANES / 2; step > 0; step /= 2) value += simd_shuffle_xor(value, step);
  return value;
}

// The first entry that a row sees which sees `length` entries or the last of them.
inline uint first_in_window(constant AttentionParams& p, uint length) {
  return p.window != 0 && p.window < length ? length - p.window : 0;
}

// A score in base 2, as the cap leaves it.
inline float capped_score(constant AttentionParams& p, float score) {
  return HAS_SCORE_CAP ? soft_capped(score, p.soft_cap * kLog2E) : score;
}

inline float dot_slices(Slice a, CacheSlice b) {
  const float4 low = float4(b.low), high = float4(b.high);
  float sum = a.low.x * low.x;
  sum = fma(a.low.y, low.y, sum);
  sum = fma(a.low.z, low.z, sum);
  sum = fma(a.low.w, low.w, sum);
  sum = fma(a.high.x, high.x, sum);
  sum = fma(a.high.y, high.y, sum);
  sum = fma(a.high.z, high.z, sum);
  return fma(a.high.w, high.w, sum);
}

// a * x + b * y, rounded the same way whoever compiles it.
inline float weighted_sum(float a, float x, float b, float y) {
  return fma(a, x, b * y);
}
inline Slice weighted_sum(Slice a, float x, Slice b, float y) {
  Slice sum;
  sum.low = fma(a.low, float4(x), b.low * y);
  sum.high = fma(a.high, float4(x), b.high * y);
  return sum;
}

inline Slice shuffle_slice(Slice slice, ushort step) {
  Slice other;
#pragma unroll
  for (ushort i = 0; i < 4; ++i) {
    other.low[i] = simd_shuffle_xor(slice.low[i], step);
    other.high[i] = simd_shuffle_xor(slice.high[i], step);
  }
  return other;
}

// Merges the states of a simdgroup's teams; team 0's is the result.
template <uint LANES>
inline void merge_teams(thread SoftmaxState& state) {
  for (ushort step = LANES; step < 32; step *= 2) {
    const float other_largest = simd_shuffle_xor(state.largest, step);
    const float other_sum = simd_shuffle_xor(state.sum, step);
    const Slice other_values = shuffle_slice(state.values, step);
    const float largest = max(state.largest, other_largest);
    const float own_part = exp2(state.largest - largest), other_part = exp2(other_largest - largest);
    state.sum = weighted_sum(state.sum, own_part, other_sum, other_part);
    state.values = weighted_sum(state.values, own_part, other_values, other_part);
    state.largest = largest;
  }
}

// Results of simdgroups on their way to the merge: of as many heads at a time as there is room for.
struct DecodePartials {
  float largest[kDecodeHeads][kDecodeMaxSimdgroups];
  float sum[kDecodeHeads][kDecodeMaxSimdgroups];
  float values[kDecodeMergeFloats];  // [head][simdgroup][head width]
};

// Queries of this many heads stay in registers, 8 a head and lane of the 128 that a thread can have; those of
// more are read from threadgroup memory as they are needed.
constant constexpr uint kQueriesInRegisters = 4;

struct DecodeMemory {
  DecodePartials partials;
  float4 queries[kDecodeHeads * kDecodeMaxWidth / 4];  // [head][head width], scaled
};
static_assert(sizeof(DecodeMemory) == kDecodeThreadgroupBytes, "what the host sets");

// The part of a batch that a threadgroup computes.
struct DecodeTask {
  uint kv_head;
  uint first_head;  // query head, of all
  uint heads;       // query heads, 1..kDecodeHeads
  uint row;
  uint first;   // entry that the row sees
  uint length;  // where the entries that it sees end
};

// Merges over simdgroups and writes the result. HEADS >= task.heads.
template <uint LANES, uint HEADS>
inline void write_attention(thread SoftmaxState (&states)[HEADS], constant AttentionParams& p,
                            DecodeTask task, device float* out, threadgroup DecodePartials& partials,
                            ThreadPlace place) {
  const uint element = place.lane * 8;  // team 0's
  const bool writes = place.lane < LANES && element < HEAD_WIDTH;
  const uint at_once = kDecodeMergeFloats / (place.simdgroups * HEAD_WIDTH);
  for (uint first = 0; first < task.heads; first += at_once) {
    const uint end = min(first + at_once, task.heads);
#pragma unroll
    for (uint h = 0; h < HEADS; ++h) {
      if (h < first || h >= end) continue;
      if (place.lane == 0) {
        partials.largest[h][place.simdgroup] = states[h].largest;
        partials.sum[h][place.simdgroup] = states[h].sum;
      }
      if (writes) {
        threadgroup float* to =
            partials.values + ((h - first) * place.simdgroups + place.simdgroup) * HEAD_WIDTH + element;
#pragma unroll
        for (uint i = 0; i < 4; ++i) {
          to[i] = states[h].values.low[i];
          to[i + 4] = states[h].values.high[i];
        }
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = place.index; i < (end - first) * HEAD_WIDTH; i += place.threads) {
      const uint h = first + i / HEAD_WIDTH, e = i % HEAD_WIDTH;
      float largest = kNoScore;
      for (uint s = 0; s < place.simdgroups; ++s) largest = max(largest, partials.largest[h][s]);
      float sum = 0.0f, value = 0.0f;
      for (uint s = 0; s < place.simdgroups; ++s) {
        const float part = exp2(partials.largest[h][s] - largest);
        sum = fma(partials.sum[h][s], part, sum);
        value = fma(partials.values[((h - first) * place.simdgroups + s) * HEAD_WIDTH + e], part, value);
      }
      out[(ulong(task.row) * p.query_heads + task.first_head + h) * HEAD_WIDTH + e] = value / sum;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}

// Attention of task.heads query heads over one KV head.
template <uint LANES, uint HEADS>
inline void attend(constant AttentionParams& p, DecodeTask task, device const float* q,
                   device const half* keys, device const half* values, device const uint* pages,
                   device float* out, threadgroup DecodeMemory& memory, ThreadPlace place) {
  constexpr uint kTeams = 32 / LANES;
  constexpr uint kUnroll = HEADS > 4 ? 2 : 4;
  constexpr uint kBlock = kUnroll * kTeams;  // divides kKvPagePositions: a block lies in one page
  const uint team = place.lane / LANES, element = place.lane % LANES * 8;
  const bool within = element < HEAD_WIDTH;

  constexpr bool kStaged = HEADS > kQueriesInRegisters;
  if (kStaged) {
    device const float* from = q + (ulong(task.row) * p.query_heads + task.first_head) * HEAD_WIDTH;
    threadgroup float* to = (threadgroup float*)memory.queries;
    for (uint i = place.index; i < task.heads * HEAD_WIDTH; i += place.threads) {
      to[i] = from[i] * (p.scale * kLog2E);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  Slice queries[HEADS];
  SoftmaxState states[HEADS];
#pragma unroll
  for (uint h = 0; h < HEADS; ++h) {
    states[h].largest = kNoScore;
    states[h].sum = 0.0f;
    states[h].values = zero_slice();
    queries[h] = zero_slice();
    if (!kStaged && h < task.heads && within) {
      device const float* from =
          q + (ulong(task.row) * p.query_heads + task.first_head + h) * HEAD_WIDTH + element;
      queries[h].low = *(device const float4*)from * (p.scale * kLog2E);
      queries[h].high = *(device const float4*)(from + 4) * (p.scale * kLog2E);
    }
  }

  for (uint first = task.first / kBlock * kBlock + place.simdgroup * kBlock; first < task.length;
       first += place.simdgroups * kBlock) {
    const uint page = pages[first / kKvPagePositions], slot = first % kKvPagePositions + team;
    CacheSlice key[kUnroll], value[kUnroll];
    bool seen[kUnroll];
#pragma unroll
    for (uint u = 0; u < kUnroll; ++u) {
      const uint entry = first + u * kTeams + team;
      seen[u] = entry >= task.first && entry < task.length;
      key[u] = zero_cache_slice();
      value[u] = zero_cache_slice();
      if (within && seen[u]) {
        key[u] = load_slice(cache_row(keys, p, page, slot + u * kTeams, task.kv_head) + element);
        value[u] = load_slice(cache_row(values, p, page, slot + u * kTeams, task.kv_head) + element);
      }
    }
#pragma unroll
    for (uint h = 0; h < HEADS; ++h) {
      if (h >= task.heads) continue;
      Slice query = queries[h];
      if (kStaged && within) {
        threadgroup const float4* staged = memory.queries + (h * HEAD_WIDTH + element) / 4;
        query.low = staged[0];
        query.high = staged[1];
      }
      float score[kUnroll];
      float largest = states[h].largest;
#pragma unroll
      for (uint u = 0; u < kUnroll; ++u) {
        const float dot = sum_over_team<LANES>(dot_slices(query, key[u]));
        score[u] = seen[u] ? capped_score(p, dot) : -INFINITY;
        largest = max(largest, score[u]);
      }
      const float rescale = exp2(states[h].largest - largest);
      float weights = 0.0f;
      states[h].largest = largest;
      states[h].values.low *= rescale;
      states[h].values.high *= rescale;
#pragma unroll
      for (uint u = 0; u < kUnroll; ++u) {
        const float weight = exp2(score[u] - largest);
        weights += weight;
        states[h].values.low = fma(float4(value[u].low), float4(weight), states[h].values.low);
        states[h].values.high = fma(float4(value[u].high), float4(weight), states[h].values.high);
      }
      states[h].sum = fma(states[h].sum, rescale, weights);
    }
  }
#pragma unroll
  for (uint h = 0; h < HEADS; ++h) merge_teams<LANES>(states[h]);
  write_attention<LANES, HEADS>(states, p, task, out, memory.partials, place);
}

// The instance for HEADS_PER_KV; a pipeline has one, since the constant decides.
template <uint LANES>
inline void attend_heads(constant AttentionParams& p, DecodeTask task, device const float* q,
                         device const half* keys, device const half* values, device const uint* pages,
                         device float* out, threadgroup DecodeMemory& memory, ThreadPlace place) {
  switch (HEADS_PER_KV) {
    case 1: return attend<LANES, 1>(p, task, q, keys, values, pages, out, memory, place);
    case 2: return attend<LANES, 2>(p, task, q, keys, values, pages, out, memory, place);
    case 3: return attend<LANES, 3>(p, task, q, keys, values, pages, out, memory, place);
    case 4: return attend<LANES, 4>(p, task, q, keys, values, pages, out, memory, place);
    default: return attend<LANES, kDecodeHeads>(p, task, q, keys, values, pages, out, memory, place);
  }
}
