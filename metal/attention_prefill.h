// Attention of many rows over the paged KV cache: prefill, in the manner of FlashAttention-2 (Dao, 2023).
//
// The rows of a batch and the query heads that share a KV head make one list of queries, row by row: a
// threadgroup takes a tile of them, so each key and value it loads serves both its rows and their heads, and
// passes over the entries from the first that its first row sees to those that the last of its rows sees. One
// simdgroup owns 8 queries: their scores and results are 8x8 simdgroup matrices that never leave it. Keys and
// values are loaded once a tile, all threads together, widened to float32 in threadgroup memory, first the
// keys of a block of entries, then, in the same memory, its values; blocks divide a page, so one page number
// is enough. Scores pass through threadgroup memory once, where the online softmax reads them with one lane
// an entry; what the results so far are rescaled by enters as a diagonal matrix. All products are float32,
// and queries keep their precision: M1 to M4 multiply halves in the same units.
//
// Registers: a quarter of the head width each for queries and results, so that heads of 256 spill some.
//
// Threadgroup memory: a tile that queries, keys, values and results take in turn, then a scratch a simdgroup:
// its scores and the diagonal matrix. 14 KiB at head width 64, 22 at 128 and 19 at 256. Rows of the tile are
// kPrefillPad floats longer than a head: otherwise the 8 rows of a matrix would lie in the same bank.
//
// Launch: attention_prefill_tiles, _threads and _threadgroup_bytes (launch_shapes.h): x = KV heads, y =
// tiles of queries. The cache is read ceil(rows * heads a KV head / tile) times, each time from the cache
// of the GPU where it fits.
#pragma once

#include <metal_simdgroup_matrix>
#include <metal_stdlib>

#include "attention_decode.h"
#include "function_constants.h"
#include "launch_shapes.h"
#include "op_params.h"
#include "thread_place.h"

using namespace metal;

// One tile.
struct PrefillTask {
  uint kv_head;
  uint first_query;  // of the list of rows * HEADS_PER_KV
  uint queries;      // of the whole list
  uint first;        // entry that the tile's first row sees
  uint entries;      // where those end that its last row sees
};

// Of a query in the list.
inline uint row_of_query(uint query) {
  return query / HEADS_PER_KV;
}
inline ulong query_offset(constant AttentionParams& p, PrefillTask task, uint query) {
  const uint head = task.kv_head * HEADS_PER_KV + query % HEADS_PER_KV;
  return (ulong(row_of_query(query)) * p.query_heads + head) * HEAD_WIDTH;
}

// tile[i] = entries first .. first + count - 1 of the keys or values; zero where no row of the tile sees
// them: what lies there may be no number, and 0 times that none either.
template <uint WIDTH>
inline void load_entries(constant AttentionParams& p, PrefillTask task, device const half* cache, uint page,
                         uint first, uint count, threadgroup float* tile, ThreadPlace place) {
  constexpr uint kQuads = WIDTH / 4;
  for (uint i = place.index; i < count * kQuads; i += place.threads) {
    const uint entry = i / kQuads, quad = i % kQuads;
    float4 loaded = float4(0.0f);
    if (first + entry >= task.first && first + entry < task.entries) {
      device const half* from = cache_row(cache, p, page, (first + entry) % kKvPagePositions, task.kv_head);
      loaded = float4(*(device const half4*)(from + 4 * quad));
    }
    *(threadgroup float4*)(tile + entry * (WIDTH + kPrefillPad) + 4 * quad) = loaded;
  }
}

// The online softmax of a simdgroup's 8 queries; the same in all lanes.
struct SoftmaxRows {
  float largest[8];
  float sum[8];
};

// Turns a block's scores, ENTRIES a row, one lane an entry, into weights 2^(score - largest), and puts what
// former results are multiplied by on the diagonal.
template <uint ENTRIES>
inline void weigh_scores(thread SoftmaxRows& rows, threadgroup float* scores, threadgroup float* diagonal,
                         constant AttentionParams& p, PrefillTask task, uint first_query, uint first_entry,
                         ThreadPlace place) {
  const uint entry = first_entry + place.lane;
#pragma unroll
  for (uint i = 0; i < 8; ++i) {
    // Queries behind the list, whose results nobody writes, see what its last one does.
    const uint query = min(first_query + i, task.queries - 1);
    const uint length = p.position + row_of_query(query) + 1;
    const bool seen = place.lane < ENTRIES && entry >= first_in_window(p, length) && entry < length;
    const float score = seen ? capped_score(p, scores[i * ENTRIES + place.lane]) : -INFINITY;
    const float largest = max(rows.largest[i], simd_max(score));
    const float rescale = exp2(rows.largest[i] - largest);
    const float weight = exp2(score - largest);
    rows.largest[i] = largest;
    rows.sum[i] = fma(rows.sum[i], rescale, simd_sum(weight));
    if (place.lane < ENTRIES) scores[i * ENTRIES + place.lane] = weight;
    if (place.lane == 0) diagonal[9 * i] = rescale;
  }
}

// WIDTH: HEAD_WIDTH. ENTRIES: a block's, 16 or 32.
template <uint WIDTH, uint ENTRIES>
inline void attend_tile(constant AttentionParams& p, PrefillTask task, device const float* q,
                        device const half* keys, device const half* values, device const uint* pages,
                        device float* out, threadgroup float* memory, ThreadPlace place) {
  constexpr uint kColumns = WIDTH / 8;   // matrices of 8x8 across a head
  constexpr uint kBlocks = ENTRIES / 8;  // and across a block of entries
  constexpr uint kStride = WIDTH + kPrefillPad;
  const uint tile_queries = 8 * place.simdgroups;
  threadgroup float* tile = memory;
  threadgroup float* scratch =
      memory + max(tile_queries, ENTRIES) * kStride + place.simdgroup * (8 * ENTRIES + kPrefillDiagonal);
  threadgroup float* diagonal = scratch + 8 * ENTRIES;
  const uint own_query = task.first_query + 8 * place.simdgroup;

  for (uint i = place.index; i < tile_queries * WIDTH; i += place.threads) {
    const uint query = task.first_query + i / WIDTH;
    tile[i / WIDTH * kStride + i % WIDTH] =
        query < task.queries ? q[query_offset(p, task, query) + i % WIDTH] * (p.scale * kLog2E) : 0.0f;
  }
  for (uint i = place.lane; i < 64; i += 32) diagonal[i] = 0.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup);

  simdgroup_float8x8 queries[kColumns], results[kColumns];
#pragma unroll
  for (uint c = 0; c < kColumns; ++c) {
    simdgroup_load(queries[c], tile + 8 * place.simdgroup * kStride + 8 * c, kStride);
    results[c] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  }
  SoftmaxRows rows;
#pragma unroll
  for (uint i = 0; i < 8; ++i) {
    rows.largest[i] = kNoScore;
    rows.sum[i] = 0.0f;
  }

  for (uint first = task.first / ENTRIES * ENTRIES; first < task.entries; first += ENTRIES) {
    const uint page = pages[first / kKvPagePositions];
    threadgroup_barrier(mem_flags::mem_threadgroup);  // the tile has been read
    load_entries<WIDTH>(p, task, keys, page, first, ENTRIES, tile, place);
    threadgroup_barrier(mem_flags::mem_threadgroup);
#pragma unroll
    for (uint b = 0; b < kBlocks; ++b) {
      simdgroup_float8x8 scores = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
#pragma unroll
      for (uint c = 0; c < kColumns; ++c) {
        simdgroup_float8x8 key;
        simdgroup_load(key, tile + 8 * b * kStride + 8 * c, kStride, ulong2(0), true);
        simdgroup_multiply_accumulate(scores, queries[c], key, scores);
      }
      simdgroup_store(scores, scratch + 8 * b, ENTRIES);
    }
    simdgroup_barrier(mem_flags::mem_threadgroup);
    weigh_scores<ENTRIES>(rows, scratch, diagonal, p, task, own_query, first, place);
    threadgroup_barrier(mem_flags::mem_threadgroup);  // also: the keys have been read
    load_entries<WIDTH>(p, task, values, page, first, ENTRIES, tile, place);
    threadgroup_barrier(mem_flags::mem_threadgroup);

    simdgroup_float8x8 rescale, weights[kBlocks];
    simdgroup_load(rescale, diagonal, 8);
#pragma unroll
    for (uint b = 0; b < kBlocks; ++b) simdgroup_load(weights[b], scratch + 8 * b, ENTRIES);
#pragma unroll
    for (uint c = 0; c < kColumns; ++c) {
      simdgroup_float8x8 sum = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
      simdgroup_multiply_accumulate(sum, rescale, results[c], sum);
#pragma unroll
      for (uint b = 0; b < kBlocks; ++b) {
        simdgroup_float8x8 value;
        simdgroup_load(value, tile + 8 * b * kStride + 8 * c, kStride);
        simdgroup_multiply_accumulate(sum, weights[b], value, sum);
      }
      results[c] = sum;
    }
  }

  threadgroup_barrier(mem_flags::mem_threadgroup);  // the last values have been read
  if (place.lane == 0) {
#pragma unroll
    for (uint i = 0; i < 8; ++i) diagonal[9 * i] = 1.0f / rows.sum[i];
  }
  simdgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_float8x8 normalise;
  simdgroup_load(normalise, diagonal, 8);
#pragma unroll
  for (uint c = 0; c < kColumns; ++c) {
    simdgroup_float8x8 result = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    simdgroup_multiply_accumulate(result, normalise, results[c], result);
    simdgroup_store(result, tile + 8 * place.simdgroup * kStride + 8 * c, kStride);
  }
  simdgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = place.lane; i < 8 * WIDTH; i += 32) {
    const uint query = own_query + i / WIDTH;
    if (query < task.queries) {
      out[query_offset(p, task, query) + i % WIDTH] =
          tile[(8 * place.simdgroup + i / WIDTH) * kStride + i % WIDTH];
    }
  }
}
