// Matrix times 1 to 16 vectors: the core of decode and of verification, fused with a norm in front where
// asked.
//
// Decode is bound by memory, so the weights decide: every weight byte is read exactly once, by the one group
// of 16 lanes (half a simdgroup) that owns its row, 8 bytes of nibbles or 16 of floats a lane and load,
// neighbouring lanes beside one another; what the lanes of a block share is read by one and shuffled. A group
// owns two rows, so that what it reads of x serves both; the fused kernels choose as pairs what their ends
// need together (gate and up; the two elements of a rotation). 16 lanes instead of 32 waste less where rows
// are short: 576 columns are 36 units of 16, three rounds of 16 lanes.
//
// x is read from device memory (its cache: a few KiB) once a threadgroup, staged in threadgroup memory in
// tiles and read from there as float4. The norm costs no pass of its own: the tile holds x * gain, the
// squares are added up on the way, and 1 / rms, the same for all columns, multiplies the finished sums. With
// several rows the weights are decoded once for all of them, and the sums of x that formats with an offset
// need are staged, too; a single row adds them up in registers, in the same order.
//
// Where something is to be added to the residual stream first that is normed itself (HAS_ADDED: norms on both
// sides, as Gemma 2 has them), each threadgroup adds up its squares before it stages, and stages the sum; the
// first one writes it, where nobody reads the stream as it was. That is one more read of what is added, and
// one of its gain, from the cache, in the place of a command that all others would wait for.
//
// Weights are fetched one round before they are used, the first round before x is staged: the wait for memory
// overlaps with the staging, its barrier and the arithmetic.
//
// Arithmetic a weight at one row: mask or shift, conversion and multiply-add, and half an addition for the
// sum of x: about 4 operations, where M1 to M4 have time for 7 to 11 while a Q4_0 weight comes from memory.
//
// Results do not depend on the number of rows: a row's sums are added over units lane, lane + 16, lane + 32,
// ... and then across the lanes, whatever the tile; every multiply-add is an explicit fma, which leaves the
// compiler nothing to contract differently from one capacity to the next.
//
// Code for each capacity is its own instance (kRows), with every loop over rows unrolled: an index that is
// known before the compiler chooses registers is what keeps the sums in them. A function constant would come
// too late for that; it only picks the instance.
//
// Launch: launch_shapes.h (mat_vec_threads, mat_vec_threadgroups, mat_vec_threadgroup_bytes).
#pragma once

#include <metal_stdlib>

#include "block_headers.h"
#include "function_constants.h"
#include "launch_shapes.h"
#include "reductions.h"
#include "weight_formats.h"

using namespace metal;

// Where a thread stands.
struct MatVecThread {
  uint index;       // in the threadgroup
  uint threads;     // of the threadgroup
  uint lane;        // in the simdgroup
  uint simdgroup;   // in the threadgroup
  uint group_lane;  // in its group of kMatVecLanes
  uint pair;        // of weight rows: its group's
  bool first;       // its threadgroup is the grid's first
};

inline MatVecThread mat_vec_thread(uint threadgroup_index, uint index, uint threads, uint lane,
                                   uint simdgroup) {
  MatVecThread t;
  t.index = index;
  t.threads = threads;
  t.lane = lane;
  t.simdgroup = simdgroup;
  t.group_lane = index % kMatVecLanes;
  t.pair = threadgroup_index * (threads / kMatVecLanes) + index / kMatVecLanes;
  t.first = threadgroup_index == 0;
  return t;
}

// What is multiplied: rows of x [rows, in], behind a norm where there is one.
struct MatVecInput {
  device const float* x;
  device const float* gain;  // [in], with a norm
  float epsilon;
  uint in;
  uint rows;  // 1..kRows
  // With a norm and HAS_ADDED: x + norm(added) * added_gain is what is normed, and is written to `sum`.
  device const float* added;       // [rows, in]
  device const float* added_gain;  // [in]
  device float* sum;               // [rows, in]
};

// Rows `a` and `b` of weights; null where a group has none.
struct WeightPair {
  device const uchar* a;
  device const uchar* b;
};

// Columns of a tile over kRows rows.
template <uint kRows>
constexpr uint mat_vec_tile_columns() {
  return kMatVecTileElements / kRows > kMatVecMinTile ? kMatVecTileElements / kRows : kMatVecMinTile;
}

// Vectors of a part of a unit.
template <typename Format>
constexpr uint vectors_of_part() {
  return uint(Format::kVectors) / uint(Format::kParts);
}

// Sum of the columns of one part of a unit, in the order that staged sums and registers share.
template <typename Format>
inline float sum_of_columns(thread const float4* columns, uint part) {
  float4 sum = columns[part * vectors_of_part<Format>()];
#pragma unroll
  for (uint v = 1; v < vectors_of_part<Format>(); ++v) sum += columns[part * vectors_of_part<Format>() + v];
  return (sum.x + sum.y) + (sum.z + sum.w);
}

// Columns of x that unit `unit` (counted from the tile's first) meets.
template <typename Format>
inline void load_columns(threadgroup const float* tile_row, uint unit, thread float4* columns) {
#pragma unroll
  for (uint v = 0; v < Format::kVectors; ++v) {
    columns[v] = *(threadgroup const float4*)(tile_row + Format::column(unit, v));
  }
}

// The product of one part of a unit with its columns of x, without scale and offset. A single vector is added
// up by fused operations, so that no product meets an addition otherwise.
template <typename Format>
inline float product_of_part(thread const WeightUnit& unit, thread const float4* columns, uint part) {
  const uint first = part * vectors_of_part<Format>();
  float4 products = unit.q[first] * columns[first];
  if (vectors_of_part<Format>() == 1) {
    const float4 q = unit.q[first], x = columns[first];
    return fma(q.w, x.w, fma(q.z, x.z, fma(q.y, x.y, products.x)));
  }
#pragma unroll
  for (uint v = 1; v < vectors_of_part<Format>(); ++v)
    products = fma(unit.q[first + v], columns[first + v], products);
  return (products.x + products.y) + (products.z + products.w);
}

// sum + the product of one unit with its columns of x, whose sums, a part each, are columns_sums.
template <typename Format>
inline float add_unit(float sum, thread const WeightUnit& unit, thread const float4* columns,
                      float4 columns_sums) {
#pragma unroll
  for (uint p = 0; p < Format::kParts; ++p) {
    const float product = product_of_part<Format>(unit, columns, p);
    if (Format::kOffset) sum = fma(unit.offset[p], columns_sums[p], sum);
    sum = Format::kScaled ? fma(unit.scale[p], product, sum) : sum + product;
  }
  return sum;
}

// Of a row whose squares add up to `squares`.
inline float inverse_rms(float squares, MatVecInput input) {
  return rsqrt(squares / float(input.in) + input.epsilon);
}

// scales[r * kMatVecMaxSimdgroups] = 1 / rms of row r of what is added. All threads call it.
template <uint kRows>
inline void scale_added(MatVecInput input, threadgroup float* scales, MatVecThread t) {
  for (uint r = 0; r < kRows && r < input.rows; ++r) {
    device const float* row = input.added + ulong(r) * input.in;
    float squares = 0.0f;
    for (uint column = t.index; column < input.in; column += t.threads)
      squares = fma(row[column], row[column], squares);
    const float partial = simd_sum(squares);
    if (t.lane == 0) scales[r * kMatVecMaxSimdgroups + t.simdgroup] = partial;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t.index < input.rows) {
    threadgroup float* partials = scales + t.index * kMatVecMaxSimdgroups;
    float sum = 0.0f;
    for (uint i = 0; i < t.threads / 32; ++i) sum += partials[i];
    partials[0] = inverse_rms(sum, input);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
}

// Stages columns begin .. begin + width of all rows, times the gain behind a norm, and adds to `squares`, a
// row each. Zero up to `padded`. scales: as scale_added left them.
template <bool kNorm, uint kRows>
inline void stage_columns(MatVecInput input, uint begin, uint width, uint padded, uint stride,
                          threadgroup float* tile, threadgroup const float* scales,
                          thread float (&squares)[kRows], MatVecThread t) {
  for (uint column = t.index; column < padded; column += t.threads) {
    const bool inside = column < width;
    const float gain = kNorm && inside ? input.gain[begin + column] : 1.0f;
#pragma unroll
    for (uint r = 0; r < kRows; ++r) {
      if (r >= input.rows) continue;
      const ulong at = ulong(r) * input.in + begin + column;
      float value = inside ? input.x[at] : 0.0f;
      if (kNorm && HAS_ADDED && inside) {
        const float normed = input.added[at] * scales[r * kMatVecMaxSimdgroups];
        value = fma(normed, input.added_gain[begin + column], value);
        if (t.first) input.sum[at] = value;
      }
      if (kNorm) squares[r] = fma(value, value, squares[r]);
      tile[r * stride + column] = kNorm ? value * gain : value;
    }
  }
}

// A lane's unit of both rows as it was read, and its share of the header of one.
template <typename Format>
struct FetchedPair {
  typename Format::Raw a, b;
  OwnWords own;
};

template <typename Format>
inline void fetch_pair(WeightPair weights, uint unit, uint in, thread FetchedPair<Format>& to) {
  if (unit * Format::kUnit >= in) return;
  if (weights.a != nullptr) to.a = Format::fetch(weights.a, unit, in);
  if (weights.b != nullptr) to.b = Format::fetch(weights.b, unit, in);
  device const uchar* own = unit % 2 == 0 ? weights.a : weights.b;
  if (Format::kHeader && own != nullptr) to.own = Format::fetch_own(own, unit);
}

// Of row r of x with a group's two weight rows, in lane r. The product is `sums * scale`, left to the caller:
// whatever it adds must not be contracted with the multiplication as a compiler likes.
struct PairProducts {
  float2 sums;
  float scale;  // 1 / rms behind a norm, else 1
};

// pair_products for pipelines of up to kRows rows.
template <typename Format, bool kNorm, uint kRows>
inline PairProducts pair_products_of(MatVecInput input, WeightPair weights, threadgroup float* memory,
                                     MatVecThread t) {
  constexpr uint kTile = mat_vec_tile_columns<kRows>();
  constexpr bool kStagedSums = Format::kOffset && kRows > 1;
  if (kRows == 1) input.rows = 1;  // lets the compiler drop the comparisons with it
  const uint stride = min(kTile, (input.in + 31) / 32 * 32);
  threadgroup float* tile = memory;
  threadgroup float* unit_sums = tile + kRows * stride;
  const uint sums_stride = kStagedSums ? stride / kMatVecSumColumns : 0;
  threadgroup float* square_sums = unit_sums + kRows * sums_stride;
  threadgroup float* codes = square_sums + kRows * kMatVecMaxSimdgroups;

  float sums_a[kRows], sums_b[kRows], squares[kRows];
#pragma unroll
  for (uint r = 0; r < kRows; ++r) sums_a[r] = sums_b[r] = squares[r] = 0.0f;

  stage_codes<Format>(codes, t.index);
  FetchedPair<Format> ahead = {};
  fetch_pair<Format>(weights, t.group_lane, input.in, ahead);
  // The sums of squares of the whole come into the same place, behind the last use of these.
  if (kNorm && HAS_ADDED) scale_added<kRows>(input, square_sums, t);
  for (uint begin = 0; begin < input.in; begin += kTile) {
    const uint width = min(kTile, input.in - begin);
    const uint units = (width + Format::kUnit - 1) / Format::kUnit;
    if (begin > 0) threadgroup_barrier(mem_flags::mem_threadgroup);  // the last tile has been read
    const uint padded = units * Format::kUnit;
    stage_columns<kNorm, kRows>(input, begin, width, padded, stride, tile, square_sums, squares, t);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (kStagedSums) {
      for (uint i = t.index; i < input.rows * units; i += t.threads) {
        float4 columns[4];
        load_columns<Format>(tile + i / units * stride, i % units, columns);
#pragma unroll
        for (uint p = 0; p < Format::kParts; ++p) {
          unit_sums[i / units * sums_stride + i % units * Format::kParts + p] =
              sum_of_columns<Format>(columns, p);
        }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint round = 0; round < units; round += kMatVecLanes) {
      const uint unit = round + t.group_lane;
      const FetchedPair<Format> fetched = ahead;
      fetch_pair<Format>(weights, begin / Format::kUnit + unit + kMatVecLanes, input.in, ahead);
      const PairHeaders headers = exchange_headers<Format>(fetched.own, unit, t.lane);
      if (unit >= units) continue;
      WeightUnit a, b;
      Format::decode(fetched.a, headers.a, headers.bits_a, unit, codes, a);
      Format::decode(fetched.b, headers.b, headers.bits_b, unit, codes, b);
#pragma unroll
      for (uint r = 0; r < kRows; ++r) {
        if (r >= input.rows) continue;
        float4 columns[4];
        load_columns<Format>(tile + r * stride, unit, columns);
        float4 columns_sums = float4(0.0f);
        if (Format::kOffset) {
#pragma unroll
          for (uint p = 0; p < Format::kParts; ++p) {
            columns_sums[p] = kStagedSums ? unit_sums[r * sums_stride + unit * Format::kParts + p]
                                          : sum_of_columns<Format>(columns, p);
          }
        }
        sums_a[r] = add_unit<Format>(sums_a[r], a, columns, columns_sums);
        sums_b[r] = add_unit<Format>(sums_b[r], b, columns, columns_sums);
      }
    }
  }

  PairProducts own;
  own.sums = float2(0.0f);
  own.scale = 1.0f;
#pragma unroll
  for (uint r = 0; r < kRows; ++r) {
    const float2 sums =
        float2(sum_over_lanes(sums_a[r], kMatVecLanes), sum_over_lanes(sums_b[r], kMatVecLanes));
    if (t.group_lane == r) own.sums = sums;
  }
  if (kNorm) {
#pragma unroll
    for (uint r = 0; r < kRows; ++r) {
      const float partial = simd_sum(squares[r]);
      if (t.lane == 0) square_sums[r * kMatVecMaxSimdgroups + t.simdgroup] = partial;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t.group_lane < input.rows) {
      float sum = 0.0f;
      for (uint i = 0; i < t.threads / 32; ++i) sum += square_sums[t.group_lane * kMatVecMaxSimdgroups + i];
      own.scale = inverse_rms(sum, input);
    }
  }
  return own;
}

// Returns, to lane r < rows of each group, the products of row r of x with the group's two weight rows (0 for
// a null one). All threads of the threadgroup call it together. memory: threadgroup(0),
// mat_vec_threadgroup_bytes. A pipeline has one of the instances, since the constant decides.
template <typename Format, bool kNorm>
inline PairProducts pair_products(MatVecInput input, WeightPair weights, threadgroup float* memory,
                                  MatVecThread t) {
  switch (ROW_CAPACITY) {
    case 1: return pair_products_of<Format, kNorm, 1>(input, weights, memory, t);
    case 2: return pair_products_of<Format, kNorm, 2>(input, weights, memory, t);
    case 4: return pair_products_of<Format, kNorm, 4>(input, weights, memory, t);
    case 8: return pair_products_of<Format, kNorm, 8>(input, weights, memory, t);
    default: return pair_products_of<Format, kNorm, kMatVecMaxRows>(input, weights, memory, t);
  }
}
