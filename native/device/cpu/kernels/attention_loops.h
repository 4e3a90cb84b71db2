// The loops of attention, written once over the `Vector` of a kernel set. Included by the kernels_*.cpp files
// alone; as in kernel_loops.h everything is in an unnamed namespace.
//
// Register blocking: a tile is some queries by some vectors of keys or of values. Each vector is loaded, and
// widened, once for all queries of the tile, and there are enough independent sums to hide the latency of an
// addition.
#pragma once

#include "device/cpu/kernels/attention_kernels.h"
#include "device/cpu/kernels/kernel_loops.h"
#include "device/cpu/kernels/kv_quant_loops.h"
#include "device/cpu/kernels/prefetch.h"

namespace emberline {
namespace {

constexpr std::size_t kTileQueries = 6, kMostTileQueries = kLanes == 16 ? 12 : kTileQueries;
static_assert(kHeadPadding % kLanes == 0 && kKeyBlock % 64 == 0);

// Vectors of a tile of `queries` queries, so that sums, a vector of each kind and a broadcast fit the
// registers: 32 of them in sets of 16 lanes, 16 in the others.
constexpr std::size_t tile_vectors(std::size_t queries) {
  if (kLanes == 16) return queries <= kTileQueries ? 4 : 2;
  return queries == 1 ? 8 : queries <= 3 ? 4 : 2;
}

// Calls f(integral constant n, first) for tiles of n queries until `count` are done.
template <std::size_t n>
struct QueryCount {
  static constexpr std::size_t value = n;
};
template <typename F>
inline void for_each_tile(std::size_t count, F f) {
  std::size_t q = 0;
  for (; q + kMostTileQueries <= count; q += kMostTileQueries) f(QueryCount<kMostTileQueries>(), q);
  for (; q + kTileQueries <= count; q += kTileQueries) f(QueryCount<kTileQueries>(), q);
  static_assert(kTileQueries == 6);
  switch (count - q) {
    case 5: return f(QueryCount<5>(), q);
    case 4: return f(QueryCount<4>(), q);
    case 3: return f(QueryCount<3>(), q);
    case 2: return f(QueryCount<2>(), q);
    case 1: return f(QueryCount<1>(), q);
    default: return;
  }
}

// Steps of all tiles over `length` elements or positions of `vectors` vectors.
inline std::size_t steps_of_tiles(std::size_t count, std::size_t vectors, std::size_t length) {
  std::size_t steps = 0;
  for_each_tile(count, [&](auto n, std::size_t) {
    constexpr std::size_t kVectors = tile_vectors(decltype(n)::value);
    steps += (vectors + kVectors - 1) / kVectors * length;
  });
  return steps;
}

// Rows of floats or of halves, read as floats.
inline Lanes load_wide(const float* p) {
  return Vector::load(p);
}
inline Lanes load_wide(const std::uint16_t* p) {
  return Vector::load_halves(p);
}

// A key block [width, kKeyBlock]: element i of the kLanes keys from j on.
template <typename T>
struct WideKeys {
  const T* keys;
  Lanes load(std::size_t i, std::size_t j) const { return load_wide(keys + i * kKeyBlock + j); }
};

// Values of a chunk [kAttentionChunk, width]: the kLanes elements from i on of position j.
template <typename T>
struct WideValues {
  const T* values;
  std::size_t width;
  Lanes load(std::size_t j, std::size_t i) const { return load_wide(values + j * width + i); }
  const T* row(std::size_t j) const { return values + j * width; }
};

template <std::size_t kQueries, typename Keys, typename Prefetch>
inline void score_tile(const float* queries, std::size_t stride, const Keys& keys, std::size_t width,
                       float* scores, Prefetch& prefetch) {
  constexpr std::size_t kVectors = tile_vectors(kQueries);
  for (std::size_t j = 0; j < kKeyBlock; j += kVectors * kLanes) {
    Lanes sums[kQueries][kVectors];
    for (auto& row : sums) {
      for (Lanes& sum : row) sum = Vector::set(0.0f);
    }
    for (std::size_t i = 0; i < width; ++i) {
      prefetch.step();
      Lanes key[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) key[v] = keys.load(i, j + v * kLanes);
      for (std::size_t q = 0; q < kQueries; ++q) {
        const Lanes x = Vector::set(queries[q * stride + i]);
        for (std::size_t v = 0; v < kVectors; ++v) sums[q][v] = Vector::fma(x, key[v], sums[q][v]);
      }
    }
    for (std::size_t q = 0; q < kQueries; ++q) {
      for (std::size_t v = 0; v < kVectors; ++v)
        Vector::store(scores + q * kAttentionChunk + j + v * kLanes, sums[q][v]);
    }
  }
}

template <typename Keys, typename Prefetch>
inline void score_all(const AttentionQueries& queries, const Keys& keys, std::size_t width, float* scores,
                      Prefetch prefetch) {
  for_each_tile(queries.count, [&](auto n, std::size_t q) {
    score_tile<decltype(n)::value>(queries.values + q * queries.stride, queries.stride, keys, width,
                                   scores + q * kAttentionChunk, prefetch);
  });
}
// As many bytes behind `next` as the block has.
template <typename T>
inline PrefetchAhead prefetch_beside_keys(const void* next, std::size_t count, std::size_t width) {
  return {next, width * kKeyBlock * sizeof(T), steps_of_tiles(count, kKeyBlock / kLanes, width)};
}

void score_keys(const AttentionQueries& queries, const float* keys, std::size_t width, float* scores) {
  score_all(queries, WideKeys<float>{keys}, width, scores, PrefetchNothing());
}
void score_key_halves(const AttentionQueries& queries, const std::uint16_t* keys, std::size_t width,
                      const void* next, float* scores) {
  score_all(queries, WideKeys<std::uint16_t>{keys}, width, scores,
            prefetch_beside_keys<std::uint16_t>(next, queries.count, width));
}
void score_key_quants(const AttentionQueries& queries, const std::int8_t* keys, const float* scales,
                      std::size_t width, const void* next, float* scores) {
  score_all(queries, QuantKeys{keys, scales}, width, scores,
            prefetch_beside_keys<std::int8_t>(next, queries.count, width));
}

// Its padding, which is written, weighs nothing. A NaN is passed over.
inline float largest_score(float* scores, std::size_t seen, std::size_t padded) {
  constexpr float kLowest = -3.40282347e+38f;
  for (std::size_t j = seen; j < padded; ++j) scores[j] = kLowest;
  Lanes largest = Vector::set(kLowest);
  for (std::size_t j = 0; j < padded; j += kLanes) largest = Vector::max(Vector::load(scores + j), largest);
  return Vector::largest(largest);
}

// The largest scores of all queries come first, so that no exponential waits for one.
void weigh_scores(float* scores, const std::uint32_t* seen, std::size_t count, AttentionState* states) {
  const auto padded = [seen](std::size_t q) { return (seen[q] + kLanes - 1) / kLanes * kLanes; };
  for (std::size_t q = 0; q < count; ++q)
    states[q].max = largest_score(scores + q * kAttentionChunk, seen[q], padded(q));
  for (std::size_t q = 0; q < count; ++q) {
    float* weights = scores + q * kAttentionChunk;
    const std::size_t end = padded(q);
    const Lanes max = Vector::set(states[q].max);
    Lanes sum = Vector::set(0.0f);
    for (std::size_t j = 0; j < end; j += kLanes) {
      const Lanes weight = exp_lanes(Vector::sub(Vector::load(weights + j), max));
      Vector::store(weights + j, weight);
      sum = Vector::add(sum, weight);
    }
    states[q].sum = Vector::sum(sum);
  }
}

// Positions [from, to) of the sums of kQueries queries and kVectors vectors from element i on; from = 0
// begins them.
template <std::size_t kQueries, std::size_t kVectors, typename Values, typename Prefetch>
inline void add_value_tile(const float* weights, std::size_t from, std::size_t to, const Values& values,
                           std::size_t i, float* accumulators, std::size_t stride, Prefetch& prefetch) {
  Lanes sums[kQueries][kVectors];
  for (std::size_t q = 0; q < kQueries; ++q) {
    for (std::size_t v = 0; v < kVectors; ++v)
      sums[q][v] = from == 0 ? Vector::set(0.0f) : Vector::load(accumulators + q * stride + v * kLanes);
  }
  for (std::size_t j = from; j < to; ++j) {
    prefetch.step();
    Lanes value[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) value[v] = values.load(j, i + v * kLanes);
    for (std::size_t q = 0; q < kQueries; ++q) {
      const Lanes weight = Vector::set(weights[q * kAttentionChunk + j]);
      for (std::size_t v = 0; v < kVectors; ++v) sums[q][v] = Vector::fma(weight, value[v], sums[q][v]);
    }
  }
  for (std::size_t q = 0; q < kQueries; ++q) {
    for (std::size_t v = 0; v < kVectors; ++v)
      Vector::store(accumulators + q * stride + v * kLanes, sums[q][v]);
  }
}

template <std::size_t kQueries, typename Values, typename Prefetch>
inline void add_value_rows(const float* weights, std::size_t from, std::size_t to, const Values& values,
                           std::size_t width, float* accumulators, std::size_t stride, Prefetch& prefetch) {
  constexpr std::size_t kVectors = tile_vectors(kQueries);
  std::size_t i = 0;
  for (; i + kVectors * kLanes <= width; i += kVectors * kLanes)
    add_value_tile<kQueries, kVectors>(weights, from, to, values, i, accumulators + i, stride, prefetch);
  for (; i < width; i += kLanes)
    add_value_tile<kQueries, 1>(weights, from, to, values, i, accumulators + i, stride, prefetch);
}

// Positions [begin, end). What all queries of a tile see is added together, the last few positions of each
// alone: a later row's value must not touch an earlier row, were it NaN.
template <typename Values, typename Prefetch>
inline void add_some_values(const float* weights, const std::uint32_t* seen, std::size_t count,
                            std::size_t begin, std::size_t end, const Values& values, std::size_t width,
                            float* accumulators, std::size_t stride, Prefetch prefetch) {
  for_each_tile(count, [&](auto n, std::size_t first) {
    const float* w = weights + first * kAttentionChunk;
    float* sums = accumulators + first * stride;
    const std::size_t shared = seen[first] < end ? seen[first] : end;
    if (begin < shared)
      add_value_rows<decltype(n)::value>(w, begin, shared, values, width, sums, stride, prefetch);
    const std::size_t from = begin < shared ? shared : begin;
    for (std::size_t q = 1; q < decltype(n)::value; ++q) {
      const std::size_t to = seen[first + q] < end ? seen[first + q] : end;
      PrefetchNothing nothing;
      if (from < to) {
        add_value_rows<1>(w + q * kAttentionChunk, from, to, values, width, sums + q * stride, stride,
                          nothing);
      }
    }
  });
}

// A part of the positions at a time, while the next part is fetched, and `next` beside the last one.
template <typename Values>
inline void add_all_values(const float* weights, const std::uint32_t* seen, std::size_t count,
                           const Values& values, std::size_t width, const void* next, float* accumulators,
                           std::size_t stride) {
  constexpr std::size_t kPart = kAttentionChunk / 2;
  const std::size_t steps = steps_of_tiles(count, width / kLanes, kPart);
  for (std::size_t begin = 0, end; begin < seen[count - 1]; begin = end) {
    end = begin + kPart;
    const void* ahead = end < seen[count - 1] ? values.row(end) : next;
    const std::size_t bytes = kPart * width * sizeof(*values.row(0));
    add_some_values(weights, seen, count, begin, end, values, width, accumulators, stride,
                    PrefetchAhead(ahead, bytes, steps));
  }
}

void add_values(const float* weights, const std::uint32_t* seen, std::size_t count, const float* values,
                std::size_t width, float* accumulators, std::size_t stride) {
  add_some_values(weights, seen, count, 0, kAttentionChunk, WideValues<float>{values, width}, width,
                  accumulators, stride, PrefetchNothing());
}
void add_value_halves(const float* weights, const std::uint32_t* seen, std::size_t count,
                      const std::uint16_t* values, std::size_t width, const void* next, float* accumulators,
                      std::size_t stride) {
  add_all_values(weights, seen, count, WideValues<std::uint16_t>{values, width}, width, next, accumulators,
                 stride);
}
void add_value_quants(const float* weights, const std::uint32_t* seen, std::size_t count,
                      const std::int8_t* values, const float* scales, std::size_t width, const void* next,
                      float* accumulators, std::size_t stride) {
  add_all_values(weights, seen, count, QuantValues{values, scales, width, quant_blocks(width)}, width, next,
                 accumulators, stride);
}

// What `count` <= kLanes states and accumulators are multiplied by, kept and taken.
struct MergeFactors {
  float keep[kLanes], take[kLanes];
};
inline MergeFactors merge_states(const AttentionState* chunks, std::size_t count, AttentionState* states) {
  float maxima[kLanes] = {}, sums[kLanes] = {}, chunk_maxima[kLanes] = {}, chunk_sums[kLanes] = {};
  for (std::size_t i = 0; i < count; ++i) {
    maxima[i] = states[i].max;
    sums[i] = states[i].sum;
    chunk_maxima[i] = chunks[i].max;
    chunk_sums[i] = chunks[i].sum;
  }
  const Lanes old_max = Vector::load(maxima), chunk_max = Vector::load(chunk_maxima);
  const Lanes max = Vector::max(chunk_max, old_max);
  const Lanes keep = exp_lanes(Vector::sub(old_max, max)), take = exp_lanes(Vector::sub(chunk_max, max));
  MergeFactors factors;
  Vector::store(factors.keep, keep);
  Vector::store(factors.take, take);
  Vector::store(maxima, max);
  Vector::store(sums, Vector::fma(Vector::load(chunk_sums), take, Vector::mul(Vector::load(sums), keep)));
  for (std::size_t i = 0; i < count; ++i) states[i] = {maxima[i], sums[i]};
  return factors;
}

void merge_chunk(const AttentionState* chunk_states, const float* chunk_accumulators, std::size_t count,
                 std::size_t width, AttentionState* states, float* accumulators) {
  for (std::size_t first = 0; first < count; first += kLanes) {
    const std::size_t some = count - first < kLanes ? count - first : kLanes;
    const MergeFactors factors = merge_states(chunk_states + first, some, states + first);
    for (std::size_t q = 0; q < some; ++q) {
      const Lanes keep = Vector::set(factors.keep[q]), take = Vector::set(factors.take[q]);
      const float* from = chunk_accumulators + (first + q) * width;
      float* to = accumulators + (first + q) * width;
      for (std::size_t i = 0; i < width; i += kLanes) {
        const Lanes kept = Vector::mul(Vector::load(to + i), keep);
        Vector::store(to + i, Vector::fma(Vector::load(from + i), take, kept));
      }
    }
  }
}

// A tile of 16 lanes widens its two or four vectors beside 24 multiply-adds in less time than memory for a
// chunk of floats takes, which does not fit a first-level cache.
constexpr std::size_t kMostNarrowQueries = kLanes == 16 ? SIZE_MAX : 8;

constexpr AttentionKernels kAttentionKernels = {kMostNarrowQueries, score_keys,         score_key_halves,
                                                score_key_quants,   weigh_scores,       add_values,
                                                add_value_halves,   add_value_quants,   quantize_head,
                                                widen_key_quants,   widen_value_quants, merge_chunk};

}  // namespace
}  // namespace emberline
