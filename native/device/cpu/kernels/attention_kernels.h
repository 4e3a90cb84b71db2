// The inner loops of attention, one set an instruction set (kernels.h has the rules).
//
// The cache is read in chunks of kAttentionChunk positions. A query's result over a chunk is a softmax of its
// own: the largest score, the sum of exp(score - max), and the values weighted alike. Chunks are merged in
// order (Milakov and Gimelshein, arXiv:1805.02867), so that a result depends neither on who computed a chunk
// nor on which queries shared it:
// - a score is one running sum over the elements of the head, in order;
// - a weighted value is one running sum over the positions of the chunk, in order;
// - the sum of a chunk's weights adds position j to lane j mod the set's lanes, then the lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/op_params.h"

namespace emberline {

constexpr std::size_t kKeyBlock = 64;         // positions whose keys are stored transposed together
constexpr std::size_t kAttentionChunk = 128;  // positions; a multiple of kKeyBlock
constexpr std::size_t kHeadPadding = 16;      // accumulators and values are padded to a multiple of this
// Elements of a head that share a scale where the cache is kKvQ8_0 (op_params.h). A quant times its scale is
// a float without rounding, so that scores and sums have the same bits whether it is widened first or not.
constexpr std::size_t kQuantBlock = kKvBlockElements;

struct AttentionState {
  float max;  // of the scores; at least -FLT_MAX
  float sum;  // of exp(score - max)
};

// Queries of one key/value head: `count` rows, `stride` floats apart, scaled.
struct AttentionQueries {
  const float* values;
  std::size_t stride;
  std::size_t count;
};

struct AttentionKernels {
  // Up to so many queries of a chunk it is cheaper to widen its halves again for each tile of them than once
  // for all.
  std::size_t most_narrow_queries;
  // scores[q * kAttentionChunk + j] = query q . key j for the kKeyBlock keys of a block [width, kKeyBlock].
  void (*score)(const AttentionQueries& queries, const float* keys, std::size_t width, float* scores);
  // What is read from the cache itself: `next` will be read behind it, and as many bytes of it are fetched
  // meanwhile. It may point anywhere.
  void (*score_halves)(const AttentionQueries& queries, const std::uint16_t* keys, std::size_t width,
                       const void* next, float* scores);
  // With scales[width / kQuantBlock, rounded up, kKeyBlock].
  void (*score_quants)(const AttentionQueries& queries, const std::int8_t* keys, const float* scales,
                       std::size_t width, const void* next, float* scores);
  // scores[q * kAttentionChunk + j] become weights exp(score - max) for j < seen[q], 1..kAttentionChunk,
  // whose largest score and sum are states[q]. What lies behind is scratch up to the chunk's end. A score
  // that is NaN makes its query's sum NaN.
  void (*weigh)(float* scores, const std::uint32_t* seen, std::size_t count, AttentionState* states);
  // accumulators[q * stride + i] = sum over j < seen[q] of weights[q * kAttentionChunk + j] * values[j *
  // width
  // + i]. `seen` does not decrease. width is a multiple of kHeadPadding.
  void (*add_values)(const float* weights, const std::uint32_t* seen, std::size_t count, const float* values,
                     std::size_t width, float* accumulators, std::size_t stride);
  void (*add_value_halves)(const float* weights, const std::uint32_t* seen, std::size_t count,
                           const std::uint16_t* values, std::size_t width, const void* next,
                           float* accumulators, std::size_t stride);
  // With scales[kAttentionChunk, width / kQuantBlock, rounded up].
  void (*add_value_quants)(const float* weights, const std::uint32_t* seen, std::size_t count,
                           const std::int8_t* values, const float* scales, std::size_t width,
                           const void* next, float* accumulators, std::size_t stride);
  // x[width] -> int8 and the scales of its blocks, as kKvQ8_0 says. A block with an element that is not
  // finite gets a NaN for a scale.
  void (*quantize_head)(const float* x, std::size_t width, std::int8_t* quants, std::uint16_t* scales);
  // A key block, quants[width, kKeyBlock] and its scales as in score_quants -> keys[width, kKeyBlock].
  void (*widen_key_quants)(const std::int8_t* quants, const float* scales, std::size_t width, float* keys);
  // `count` rows of quants[count, width] and scales as in add_value_quants -> values[count, stride], of which
  // the padding is zero.
  void (*widen_value_quants)(const std::int8_t* quants, const float* scales, std::size_t count,
                             std::size_t width, float* values, std::size_t stride);
  // Takes the next chunk's states and accumulators [count, width] into those of `count` queries, which lie
  // alike. width is a multiple of kHeadPadding.
  void (*merge)(const AttentionState* chunk_states, const float* chunk_accumulators, std::size_t count,
                std::size_t width, AttentionState* states, float* accumulators);
};

}  // namespace emberline
