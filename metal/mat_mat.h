// Matrix times many vectors, for prefill: y[R, out] (+)= x[R, in] W^T + bias on simdgroup matrices.
//
// A threadgroup of 4 simdgroups computes 32 rows by 64 outputs, each simdgroup 16 by 32: 2 x 4 accumulators
// of 8 x 8, so that six loads from threadgroup memory feed eight multiplications. The depth is walked in
// steps of 32, one block of a quantised row: the threads turn 64 x 32 weights into floats and stage 32 x 32
// of x, 12 KiB together. Both are kept as 8 x 8 blocks of 64 consecutive floats, the weights' transposed, so
// that a load of a block touches consecutive addresses.
//
// Everything is float32. Half tiles would halve the threadgroup memory, but M1 and M2 multiply both at the
// same rate, and activations in front of the down projection may exceed what a half holds.
//
// Weights are read ceil(R / 32) times, x ceil(out / 64) times; a byte with elements of several groups of a
// super-block once a group, from the cache. The grid runs over the rows first, so that the
// threadgroups under way together share a few weight tiles: all but the first read them from the cache.
//
// Rows, outputs and depths that are no multiples of the tile are filled up with zeros. A row's arithmetic
// does not depend on the other rows. Launch: x = ceil(R / 32), y = ceil(out / 64), 128 threads.
#pragma once

#include <metal_simdgroup_matrix>
#include <metal_stdlib>

#include "function_constants.h"
#include "launch_shapes.h"
#include "weight_formats.h"

using namespace metal;

EMBERLINE_CONSTANT uint kMatMatOutBlocks = kMatMatOuts / 8;
EMBERLINE_CONSTANT uint kMatMatDepthBlocks = kMatMatDepth / 8;
EMBERLINE_CONSTANT uint kMatMatWeightFloats = kMatMatOuts * kMatMatDepth;

// Rows first_row .. + 32 and columns begin .. + 32 of x as blocks [row / 8][column / 8] of [row % 8][column %
// 8]. Eight neighbouring threads read 128 consecutive bytes.
inline void stage_activations(device const float* x, uint rows, uint in, uint first_row, uint begin,
                              threadgroup float* tile, uint thread_index) {
  for (uint i = thread_index; i < kMatMatRows * kMatMatDepth / 4; i += kMatMatThreads) {
    const uint row = i / (kMatMatDepth / 4);
    const uint column = i % (kMatMatDepth / 4) * 4;
    float4 values = float4(0.0f);
    if (first_row + row < rows) {
      device const float* from = x + ulong(first_row + row) * in + begin + column;
      if (begin + column + 4 <= in) {
        values = float4(*(device const packed_float4*)from);
      } else {
#pragma unroll
        for (uint e = 0; e < 4; ++e) {
          if (begin + column + e < in) values[e] = from[e];
        }
      }
    }
    const uint block = row / 8 * kMatMatDepthBlocks + column / 8;
    *(threadgroup float4*)(tile + block * 64 + row % 8 * 8 + column % 8) = values;
  }
}

// Weight rows first_out .. + 64, columns begin .. + 32, as blocks [column / 8][row / 8] of [column % 8][row %
// 8].
template <typename Format>
inline void stage_weights(device const uchar* weight, uint in, uint out, uint first_out, uint begin,
                          threadgroup const float* codes, threadgroup float* tile, uint thread_index) {
  const uint units_each = kMatMatDepth / Format::kUnit;
  for (uint i = thread_index; i < kMatMatOuts * units_each; i += kMatMatThreads) {
    const uint o = i / units_each;
    const uint u = i % units_each;
    const uint unit = begin / Format::kUnit + u;
    WeightUnit weights;
    const bool inside = first_out + o < out && unit * Format::kUnit < in;
    if (inside) Format::load_run(weight + (first_out + o) * Format::row_bytes(in), unit, in, codes, weights);
#pragma unroll
    for (uint v = 0; v < Format::kVectors; ++v) {
      const float4 values = inside ? weights_of<Format>(weights, v, 0) : float4(0.0f);
      const uint column = Format::run_column(u, v);
      const uint block = column / 8 * kMatMatOutBlocks + o / 8;
#pragma unroll
      for (uint e = 0; e < 4; ++e) tile[block * 64 + (column % 8 + e) * 8 + o % 8] = values[e];
    }
  }
}

// tiles: kMatMatThreadgroupBytes, on a multiple of 16 bytes; the finished products, 32 x 64, take the place
// of both.
template <typename Format>
inline void mat_mat(constant MatMulParams& p, device const float* x, device const uchar* weight,
                    device const float* bias, device float* y, uint rows, threadgroup float* tiles,
                    uint2 group, uint thread_index, uint simdgroup) {
  const uint first_row = group.x * kMatMatRows;
  const uint first_out = group.y * kMatMatOuts;
  threadgroup float* weight_tile = tiles;
  threadgroup float* x_tile = tiles + kMatMatWeightFloats;
  threadgroup float* codes = x_tile + kMatMatRows * kMatMatDepth;
  const uint row_block = simdgroup / 2 * 2;  // the simdgroup's first of 4 blocks of rows
  const uint out_block = simdgroup % 2 * 4;  // and of 8 blocks of outputs

  simdgroup_float8x8 sums[2][4];
#pragma unroll
  for (uint r = 0; r < 2; ++r) {
#pragma unroll
    for (uint o = 0; o < 4; ++o) sums[r][o] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  }
  stage_codes<Format>(codes, thread_index);
  if (Format::kCoded) threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint begin = 0; begin < p.in; begin += kMatMatDepth) {
    stage_activations(x, rows, p.in, first_row, begin, x_tile, thread_index);
    stage_weights<Format>(weight, p.in, p.out, first_out, begin, codes, weight_tile, thread_index);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = 0; k < kMatMatDepthBlocks; ++k) {
      simdgroup_float8x8 x_blocks[2], weight_blocks[4];
#pragma unroll
      for (uint r = 0; r < 2; ++r) {
        simdgroup_load(x_blocks[r], x_tile + ((row_block + r) * kMatMatDepthBlocks + k) * 64, 8);
      }
#pragma unroll
      for (uint o = 0; o < 4; ++o) {
        simdgroup_load(weight_blocks[o], weight_tile + (k * kMatMatOutBlocks + out_block + o) * 64, 8);
      }
#pragma unroll
      for (uint r = 0; r < 2; ++r) {
#pragma unroll
        for (uint o = 0; o < 4; ++o) {
          simdgroup_multiply_accumulate(sums[r][o], x_blocks[r], weight_blocks[o], sums[r][o]);
        }
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }

#pragma unroll
  for (uint r = 0; r < 2; ++r) {
#pragma unroll
    for (uint o = 0; o < 4; ++o) {
      simdgroup_store(sums[r][o], tiles + (row_block + r) * 8 * kMatMatOuts + (out_block + o) * 8,
                      kMatMatOuts);
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = thread_index; i < kMatMatRows * kMatMatOuts; i += kMatMatThreads) {
    const uint row = first_row + i / kMatMatOuts;
    const uint o = first_out + i % kMatMatOuts;
    if (row >= rows || o >= p.out) continue;
    const float product = HAS_BIAS ? tiles[i] + bias[o] : tiles[i];
    device float* to = y + ulong(row) * p.out + o;
    *to = p.accumulate != 0 ? *to + product : product;
  }
}
