// The loops of attention, written once over the `Vector` of a kernel set. Included by the kernels_*.cpp files
// alone; as in kernel_loops.h everything is in an unnamed namespace.
//
// Register blocking: a tile is up to 6 queries by some vectors of keys or of values. Each vector is loaded
// once for all queries of the tile, and there are enough independent sums to hide the latency of an addition.
#pragma once

#include "device/cpu/kernels/attention_kernels.h"
#include "device/cpu/kernels/kernel_loops.h"

namespace emberline {
namespace {

constexpr std::size_t kTileQueries = 6;
static_assert(kHeadPadding % kLanes == 0 && kKeyBlock % 64 == 0);

// Vectors of a tile of `queries` queries, so that sums, a vector of each kind and a broadcast fit the
// registers: 32 of them in sets of 16 lanes, 16 in the others.
constexpr std::size_t tile_vectors(std::size_t queries) {
  if (kLanes == 16) return 4;
  return queries == 1 ? 8 : queries <= 3 ? 4 : 2;
}

// Calls f(integral constant n, first) for tiles of n <= kTileQueries queries until `count` are done.
template <std::size_t n>
struct QueryCount {
  static constexpr std::size_t value = n;
};
template <typename F>
inline void for_each_tile(std::size_t count, F f) {
  std::size_t q = 0;
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

// Rows of floats or of halves, read as floats.
inline Lanes load_wide(const float* p) {
  return Vector::load(p);
}
inline Lanes load_wide(const std::uint16_t* p) {
  return Vector::load_halves(p);
}

constexpr std::size_t quant_blocks(std::size_t width) {
  return (width + kQuantBlock - 1) / kQuantBlock;
}

// A key block [width, kKeyBlock]: element i of the kLanes keys from j on.
template <typename T>
struct WideKeys {
  const T* keys;
  Lanes load(std::size_t i, std::size_t j) const { return load_wide(keys + i * kKeyBlock + j); }
};
struct QuantKeys {
  const std::int8_t* quants;
  const float* scales;  // [blocks, kKeyBlock]
  Lanes load(std::size_t i, std::size_t j) const {
    return Vector::mul(Vector::load_bytes(quants + i * kKeyBlock + j),
                       Vector::load(scales + i / kQuantBlock * kKeyBlock + j));
  }
};

// Values of a chunk [kAttentionChunk, width]: the kLanes elements from i on of position j.
template <typename T>
struct WideValues {
  const T* values;
  std::size_t width;
  Lanes load(std::size_t j, std::size_t i) const { return load_wide(values + j * width + i); }
};
struct QuantValues {
  const std::int8_t* quants;
  const float* scales;  // [kAttentionChunk, blocks]
  std::size_t width, blocks;
  Lanes load(std::size_t j, std::size_t i) const {
    return Vector::mul(Vector::load_bytes(quants + j * width + i),
                       Vector::set(scales[j * blocks + i / kQuantBlock]));
  }
};

template <std::size_t kQueries, typename Keys>
inline void score_tile(const float* queries, std::size_t stride, const Keys& keys, std::size_t width,
                       float* scores) {
  constexpr std::size_t kVectors = tile_vectors(kQueries);
  for (std::size_t j = 0; j < kKeyBlock; j += kVectors * kLanes) {
    Lanes sums[kQueries][kVectors];
    for (auto& row : sums) {
      for (Lanes& sum : row) sum = Vector::set(0.0f);
    }
    for (std::size_t i = 0; i < width; ++i) {
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

template <typename Keys>
inline void score_all(const AttentionQueries& queries, const Keys& keys, std::size_t width, float* scores) {
  for_each_tile(queries.count, [&](auto n, std::size_t q) {
    score_tile<decltype(n)::value>(queries.values + q * queries.stride, queries.stride, keys, width,
                                   scores + q * kAttentionChunk);
  });
}

template <typename T>
void score_keys(const AttentionQueries& queries, const T* keys, std::size_t width, float* scores) {
  score_all(queries, WideKeys<T>{keys}, width, scores);
}
void score_key_quants(const AttentionQueries& queries, const std::int8_t* keys, const float* scales,
                      std::size_t width, float* scores) {
  score_all(queries, QuantKeys{keys, scales}, width, scores);
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
template <std::size_t kQueries, std::size_t kVectors, typename Values>
inline void add_value_tile(const float* weights, std::size_t from, std::size_t to, const Values& values,
                           std::size_t i, float* accumulators, std::size_t stride) {
  Lanes sums[kQueries][kVectors];
  for (std::size_t q = 0; q < kQueries; ++q) {
    for (std::size_t v = 0; v < kVectors; ++v)
      sums[q][v] = from == 0 ? Vector::set(0.0f) : Vector::load(accumulators + q * stride + v * kLanes);
  }
  for (std::size_t j = from; j < to; ++j) {
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

template <std::size_t kQueries, typename Values>
inline void add_value_rows(const float* weights, std::size_t from, std::size_t to, const Values& values,
                           std::size_t width, float* accumulators, std::size_t stride) {
  constexpr std::size_t kVectors = tile_vectors(kQueries);
  std::size_t i = 0;
  for (; i + kVectors * kLanes <= width; i += kVectors * kLanes)
    add_value_tile<kQueries, kVectors>(weights, from, to, values, i, accumulators + i, stride);
  for (; i < width; i += kLanes)
    add_value_tile<kQueries, 1>(weights, from, to, values, i, accumulators + i, stride);
}

// What all queries of a tile see is added together, the last few positions of each alone: a later row's value
// must not touch an earlier row, were it NaN.
template <typename Values>
inline void add_all_values(const float* weights, const std::uint32_t* seen, std::size_t count,
                           const Values& values, std::size_t width, float* accumulators, std::size_t stride) {
  for_each_tile(count, [&](auto n, std::size_t first) {
    const float* w = weights + first * kAttentionChunk;
    float* sums = accumulators + first * stride;
    add_value_rows<decltype(n)::value>(w, 0, seen[first], values, width, sums, stride);
    for (std::size_t q = 1; q < decltype(n)::value; ++q) {
      if (seen[first + q] == seen[first]) continue;
      add_value_rows<1>(w + q * kAttentionChunk, seen[first], seen[first + q], values, width,
                        sums + q * stride, stride);
    }
  });
}

template <typename T>
void add_weighted_values(const float* weights, const std::uint32_t* seen, std::size_t count, const T* values,
                         std::size_t width, float* accumulators, std::size_t stride) {
  add_all_values(weights, seen, count, WideValues<T>{values, width}, width, accumulators, stride);
}
void add_weighted_quants(const float* weights, const std::uint32_t* seen, std::size_t count,
                         const std::int8_t* values, const float* scales, std::size_t width,
                         float* accumulators, std::size_t stride) {
  const QuantValues quants{values, scales, width, quant_blocks(width)};
  add_all_values(weights, seen, count, quants, width, accumulators, stride);
}

// Integers compare as the magnitudes do, with what is not finite above all numbers: a loop of vector code.
inline std::uint32_t largest_magnitude_bits(const float* x, std::size_t n) {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t bits = f32_to_bits(x[i]) & 0x7FFFFFFFu;
    largest = bits > largest ? bits : largest;
  }
  return largest;
}

// The least half that is not below `x` >= 0.
inline std::uint16_t half_not_below(float x) {
  const std::uint16_t half = f32_to_f16(x);
  return static_cast<std::uint16_t>(half + (f16_to_f32(half) < x ? 1 : 0));
}

void quantize_head(const float* x, std::size_t width, std::int8_t* quants, std::uint16_t* scales) {
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: leaves the nearest integer in the low bits of a sum
  for (std::size_t first = 0; first < width; first += kQuantBlock) {
    const std::size_t n = width - first < kQuantBlock ? width - first : kQuantBlock;
    const std::uint32_t largest = largest_magnitude_bits(x + first, n);
    const bool finite = largest < 0x7F800000u;
    const std::uint16_t scale = finite ? half_not_below(f32_from_bits(largest) / 127.0f) : 0x7E00u;
    scales[first / kQuantBlock] = scale;
    const float inverse = finite && scale != 0 ? 1.0f / f16_to_f32(scale) : 0.0f;
    for (std::size_t i = first; i < first + n; ++i) {
      const float product = x[i] * inverse;
      quants[i] = static_cast<std::int8_t>(f32_to_bits(product + kRound) & 0xFFu);
    }
  }
}

void widen_key_quants(const std::int8_t* quants, const float* scales, std::size_t width, float* keys) {
  const QuantKeys from{quants, scales};
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j < kKeyBlock; j += kLanes)
      Vector::store(keys + i * kKeyBlock + j, from.load(i, j));
  }
}

void widen_value_quants(const std::int8_t* quants, const float* scales, std::size_t count, std::size_t width,
                        float* values, std::size_t stride) {
  const QuantValues from{quants, scales, width, quant_blocks(width)};
  for (std::size_t j = 0; j < count; ++j) {
    float* to = values + j * stride;
    std::size_t i = 0;
    for (; i + kLanes <= width; i += kLanes) Vector::store(to + i, from.load(j, i));
    for (; i < width; ++i)
      to[i] = static_cast<float>(quants[j * width + i]) * scales[j * from.blocks + i / kQuantBlock];
    for (; i < stride; ++i) to[i] = 0.0f;
  }
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

// A tile of four vectors of 16 lanes widens beside its 24 multiply-adds in less time than memory for a chunk
// of floats takes, which does not fit a first-level cache.
constexpr std::size_t kMostNarrowQueries = kLanes == 16 ? SIZE_MAX : 8;

constexpr AttentionKernels kAttentionKernels = {kMostNarrowQueries,
                                                score_keys<float>,
                                                score_keys<std::uint16_t>,
                                                score_key_quants,
                                                weigh_scores,
                                                add_weighted_values<float>,
                                                add_weighted_values<std::uint16_t>,
                                                add_weighted_quants,
                                                quantize_head,
                                                widen_key_quants,
                                                widen_value_quants,
                                                merge_chunk};

}  // namespace
}  // namespace emberline
