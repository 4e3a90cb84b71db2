// Matrix times 1 to 16 vectors: the core of decode and of verification, fused with a norm in front where
// asked.
//
// Decode is bound by memory, so the weights decide: every weight byte is read exactly once, by the one group
// of 16 lanes (half a simdgroup) that owns its row, 8 bytes of nibbles or 16 of floats a lane and load,
// neighbouring lanes beside one another. A group owns two rows, so that what it reads of x serves both; the
// fused kernels choose as pairs what their ends need together (gate and up; the two elements of a rotation).
// 16 lanes instead of 32 waste less where rows are short: 576 columns are 36 units of 16, three rounds of 16
// lanes.
//
// x is read from device memory (its cache: a few KiB) once a threadgroup, staged in threadgroup memory in
// tiles and read from there as float4. The norm costs no pass of its own: the tile holds x * gain, the
// squares are added up on the way, and 1 / rms, the same for all columns, multiplies the finished sums. With
// several rows the weights are decoded once for all of them, and the sums of x that formats with an offset
// need are staged, too; a single row adds them up in registers, in the same order.
//
// Weights are fetched one round before they are used, the first round before x is staged: the wait for memory
// overlaps with the staging, its barrier and the arithmetic.
//
// Arithmetic a weight at one row: mask or shift, conversion and multiply-add, and half an addition for the
// sum of x: about 4 operations, where M1 to M4 have time for 7 to 11 while a Q4_0 weight comes from memory.
//
// Results do not depend on the number of rows: a row's sums are added over units lane, lane + 16, lane + 32,
// ... and then across the lanes, whatever the tile; every multiply-add is an explicit fma, which leaves the
// compiler nothing to contract differently from one ROW_CAPACITY to the next.
//
// Launch: launch_shapes.h (mat_vec_threads, mat_vec_threadgroups, mat_vec_threadgroup_bytes).
#pragma once

#include <metal_stdlib>

#include "block_formats.h"
#include "function_constants.h"
#include "launch_shapes.h"
#include "reductions.h"

using namespace metal;

// Where a thread stands.
struct MatVecThread {
  uint index;       // in the threadgroup
  uint threads;     // of the threadgroup
  uint lane;        // in the simdgroup
  uint simdgroup;   // in the threadgroup
  uint group_lane;  // in its group of kMatVecLanes
  uint pair;        // of weight rows: its group's
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
  return t;
}

// ROW_CAPACITY in code for up to kMaxRows rows.
template <uint kMaxRows>
inline uint row_capacity() {
  return kMaxRows == 1 ? 1 : ROW_CAPACITY;
}

// What is multiplied: rows of x [rows, in], behind a norm where there is one.
struct MatVecInput {
  device const float* x;
  device const float* gain;  // [in], with a norm
  float epsilon;
  uint in;
  uint rows;  // 1..ROW_CAPACITY
};

// Rows `a` and `b` of weights; null where a group has none.
struct WeightPair {
  device const uchar* a;
  device const uchar* b;
};

inline uint mat_vec_tile_columns() {
  return max(kMatVecTileElements / ROW_CAPACITY, kMatVecMinTile);
}

// Sum of the columns of one unit, in the order that staged sums and registers share.
template <typename Format>
inline float sum_of_columns(thread const float4* columns) {
  float4 sum = columns[0];
  for (uint v = 1; v < Format::kVectors; ++v) sum += columns[v];
  return (sum.x + sum.y) + (sum.z + sum.w);
}

// Columns of x that unit `unit` (counted from the tile's first) meets.
template <typename Format>
inline void load_columns(threadgroup const float* tile_row, uint unit, thread float4* columns) {
  for (uint v = 0; v < Format::kVectors; ++v) {
    columns[v] = *(threadgroup const float4*)(tile_row + Format::column(unit, v));
  }
}

// sum + the product of one unit with its columns of x.
template <typename Format>
inline float add_unit(float sum, thread const WeightUnit& unit, thread const float4* columns,
                      float columns_sum) {
  float4 products = unit.q[0] * columns[0];
  for (uint v = 1; v < Format::kVectors; ++v) products = fma(unit.q[v], columns[v], products);
  const float product = (products.x + products.y) + (products.z + products.w);
  if (!Format::kScaled) return sum + product;
  if (Format::kOffset) sum = fma(unit.offset, columns_sum, sum);
  return fma(unit.scale, product, sum);
}

// Stages columns begin .. begin + width of all rows, times the gain behind a norm, and adds to `squares`, a
// row each. Zero up to `padded`.
template <bool kNorm, uint kMaxRows>
inline void stage_columns(MatVecInput input, uint begin, uint width, uint padded, uint stride,
                          threadgroup float* tile, thread float* squares, MatVecThread t) {
  for (uint column = t.index; column < padded; column += t.threads) {
    const bool inside = column < width;
    const float gain = kNorm && inside ? input.gain[begin + column] : 1.0f;
    for (uint r = 0; r < row_capacity<kMaxRows>(); ++r) {
      if (r >= input.rows) break;
      const float value = inside ? input.x[ulong(r) * input.in + begin + column] : 0.0f;
      if (kNorm) squares[r] = fma(value, value, squares[r]);
      tile[r * stride + column] = kNorm ? value * gain : value;
    }
  }
}

// A lane's unit of both rows as it was read, and the header of one: the two lanes of a block read one each.
template <typename Format>
struct FetchedPair {
  typename Format::Raw a, b;
  uint header;
};

template <typename Format>
inline void fetch_pair(WeightPair weights, uint unit, uint in, thread FetchedPair<Format>& to) {
  if (unit * Format::kUnit >= in) return;
  if (weights.a != nullptr) to.a = Format::fetch(weights.a, unit, in);
  if (weights.b != nullptr) to.b = Format::fetch(weights.b, unit, in);
  device const uchar* own = unit % 2 == 0 ? weights.a : weights.b;
  if (own != nullptr) to.header = Format::header(own, unit);
}

// Headers of both rows, for all lanes of a simdgroup together.
template <typename Format>
inline uint2 exchange_headers(uint own, uint unit) {
  if (!Format::kHeader) return uint2(0, 0);
  const uint other = simd_shuffle_xor(own, 1);
  return unit % 2 == 0 ? uint2(own, other) : uint2(other, own);
}

// pair_products for pipelines of one row, and of up to kMatVecMaxRows.
template <typename Format, bool kNorm, uint kMaxRows>
inline float2 pair_products_for(MatVecInput input, WeightPair weights, threadgroup float* memory,
                                MatVecThread t) {
  const uint columns_each = mat_vec_tile_columns();
  const uint stride = min(columns_each, (input.in + 31) / 32 * 32);
  threadgroup float* tile = memory;
  threadgroup float* unit_sums = tile + row_capacity<kMaxRows>() * stride;
  threadgroup float* square_sums = unit_sums + row_capacity<kMaxRows>() * (stride / kMatVecSumColumns);

  float sums_a[kMaxRows], sums_b[kMaxRows], squares[kMaxRows];
  for (uint r = 0; r < row_capacity<kMaxRows>(); ++r) sums_a[r] = sums_b[r] = squares[r] = 0.0f;

  FetchedPair<Format> ahead = {};
  fetch_pair<Format>(weights, t.group_lane, input.in, ahead);
  for (uint begin = 0; begin < input.in; begin += columns_each) {
    const uint width = min(columns_each, input.in - begin);
    const uint units = (width + Format::kUnit - 1) / Format::kUnit;
    if (begin > 0) threadgroup_barrier(mem_flags::mem_threadgroup);  // the last tile has been read
    stage_columns<kNorm, kMaxRows>(input, begin, width, units * Format::kUnit, stride, tile, squares, t);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (Format::kOffset && kMaxRows > 1) {
      for (uint i = t.index; i < input.rows * units; i += t.threads) {
        float4 columns[4];
        load_columns<Format>(tile + i / units * stride, i % units, columns);
        unit_sums[i / units * (stride / kMatVecSumColumns) + i % units] = sum_of_columns<Format>(columns);
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint round = 0; round < units; round += kMatVecLanes) {
      const uint unit = round + t.group_lane;
      const FetchedPair<Format> fetched = ahead;
      fetch_pair<Format>(weights, begin / Format::kUnit + unit + kMatVecLanes, input.in, ahead);
      const uint2 headers = exchange_headers<Format>(fetched.header, unit);
      if (unit >= units) continue;
      WeightUnit a, b;
      Format::decode(fetched.a, headers.x, a);
      Format::decode(fetched.b, headers.y, b);
      for (uint r = 0; r < row_capacity<kMaxRows>(); ++r) {
        if (r >= input.rows) break;
        float4 columns[4];
        load_columns<Format>(tile + r * stride, unit, columns);
        float columns_sum = 0.0f;
        if (Format::kOffset) {
          columns_sum = kMaxRows > 1 ? unit_sums[r * (stride / kMatVecSumColumns) + unit]
                                     : sum_of_columns<Format>(columns);
        }
        sums_a[r] = add_unit<Format>(sums_a[r], a, columns, columns_sum);
        sums_b[r] = add_unit<Format>(sums_b[r], b, columns, columns_sum);
      }
    }
  }

  float2 own = 0.0f;
  for (uint r = 0; r < row_capacity<kMaxRows>(); ++r) {
    const float2 sums =
        float2(sum_over_lanes(sums_a[r], kMatVecLanes), sum_over_lanes(sums_b[r], kMatVecLanes));
    if (t.group_lane == r) own = sums;
  }
  if (kNorm) {
    for (uint r = 0; r < row_capacity<kMaxRows>(); ++r) {
      const float partial = simd_sum(squares[r]);
      if (t.lane == 0) square_sums[r * kMatVecMaxSimdgroups + t.simdgroup] = partial;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t.group_lane < input.rows) {
      float sum = 0.0f;
      for (uint i = 0; i < t.threads / 32; ++i) sum += square_sums[t.group_lane * kMatVecMaxSimdgroups + i];
      own *= rsqrt(sum / float(input.in) + input.epsilon);
    }
  }
  return own;
}

// Returns, to lane r < rows of each group, the products of row r of x with the group's two weight rows (0 for
// a null one). All threads of the threadgroup call it together. memory: threadgroup(0),
// mat_vec_threadgroup_bytes.
//
// Decode has code of its own, whose sums are known to stay in registers before any function constant is.
template <typename Format, bool kNorm>
inline float2 pair_products(MatVecInput input, WeightPair weights, threadgroup float* memory,
                            MatVecThread t) {
  if (ROW_CAPACITY == 1) {
    input.rows = 1;
    return pair_products_for<Format, kNorm, 1>(input, weights, memory, t);
  }
  return pair_products_for<Format, kNorm, kMatVecMaxRows>(input, weights, memory, t);
}
