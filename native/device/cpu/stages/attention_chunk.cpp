#include "device/cpu/stages/attention_chunk.h"

#include <algorithm>
#include <limits>

namespace emberline {

AttentionChunk::AttentionChunk(const Kernels& kernels, const KvPages& cache, std::size_t kv_head,
                               std::size_t position, std::size_t entries, std::size_t queries,
                               const void* next, AttentionWorker& scratch)
    : kernels_(kernels),
      cache_(cache),
      kv_head_(kv_head),
      position_(position),
      padded_(padded_head_width(cache.head_width)),
      widened_(queries > kernels.attention.most_narrow_queries || padded_ != cache.head_width),
      next_(next),
      scratch_(scratch) {
  if (quantized()) {
    widen_scales(entries);
    if (widened_) widen_quants(entries);
  } else if (widened_) {
    widen_halves(entries);
  }
}

void AttentionChunk::widen_halves(std::size_t entries) const {
  const std::size_t d = cache_.head_width;
  const std::size_t blocks = (entries + kKeyBlock - 1) / kKeyBlock;
  kernels_.widen_halves(cache_.key_block(kv_head_, position_), blocks * kKeyBlock * d, scratch_.keys);
  const std::uint16_t* values = cache_.value_rows(kv_head_, position_);
  if (padded_ == d) {
    kernels_.widen_halves(values, entries * d, scratch_.values);
    return;
  }
  for (std::size_t j = 0; j < entries; ++j) {
    kernels_.widen_halves(values + j * d, d, scratch_.values + j * padded_);
    std::fill_n(scratch_.values + j * padded_ + d, padded_ - d, 0.0f);
  }
}

void AttentionChunk::widen_scales(std::size_t entries) const {
  const std::size_t blocks = kv_blocks(cache_.head_width);
  for (std::size_t j = 0; j < entries; j += kKeyBlock) {
    kernels_.widen_halves(cache_.key_quants(kv_head_, position_ + j).scales, kKeyBlock * blocks,
                          scratch_.key_scales + j * blocks);
  }
  kernels_.widen_halves(cache_.value_quants(kv_head_, position_).scales, entries * blocks,
                        scratch_.value_scales);
}

void AttentionChunk::widen_quants(std::size_t entries) const {
  const std::size_t d = cache_.head_width, blocks = kv_blocks(d);
  for (std::size_t j = 0; j < entries; j += kKeyBlock) {
    kernels_.attention.widen_key_quants(cache_.key_quants(kv_head_, position_ + j).quants,
                                        scratch_.key_scales + j * blocks, d, scratch_.keys + j * d);
  }
  kernels_.attention.widen_value_quants(cache_.value_quants(kv_head_, position_).quants,
                                        scratch_.value_scales, entries, d, scratch_.values, padded_);
}

// The kKeyBlock keys from entry `first` of the chunk on, where `entries` are read.
void AttentionChunk::score_block(const AttentionQueries& queries, std::size_t first,
                                 std::size_t entries) const {
  const AttentionKernels& kernels = kernels_.attention;
  const std::size_t d = cache_.head_width, behind = first + kKeyBlock;
  float* scores = scratch_.scores + first;
  const void* const next = behind < entries ? cache_.key_block(kv_head_, position_ + behind)
                                            : cache_.value_rows(kv_head_, position_);
  if (widened_) {
    kernels.score(queries, scratch_.keys + first * d, d, scores);
  } else if (quantized()) {
    kernels.score_quants(queries, cache_.key_quants(kv_head_, position_ + first).quants,
                         scratch_.key_scales + first * kv_blocks(d), d, next, scores);
  } else {
    kernels.score_halves(queries, cache_.key_block(kv_head_, position_ + first), d, next, scores);
  }
}

void AttentionChunk::add_values(const AttentionQueries& queries, const SeenEntries& seen,
                                float* accumulators) const {
  const AttentionKernels& kernels = kernels_.attention;
  if (widened_) {
    kernels.add_values(scratch_.scores, seen.end, queries.count, scratch_.values, padded_, accumulators,
                       padded_);
  } else if (quantized()) {
    kernels.add_value_quants(scratch_.scores, seen.end, queries.count,
                             cache_.value_quants(kv_head_, position_).quants, scratch_.value_scales, padded_,
                             next_, accumulators, padded_);
  } else {
    kernels.add_value_halves(scratch_.scores, seen.end, queries.count, cache_.value_rows(kv_head_, position_),
                             padded_, next_, accumulators, padded_);
  }
}

void AttentionChunk::attend(const AttentionQueries& queries, const SeenEntries& seen, float soft_cap,
                            AttentionState* states, float* accumulators) const {
  const std::size_t entries = seen.end[queries.count - 1];
  for (std::size_t j = 0; j < entries; j += kKeyBlock) score_block(queries, j, entries);
  for (std::size_t i = 0; i < queries.count; ++i) {
    float* scores = scratch_.scores + i * kAttentionChunk;
    if (soft_cap != 0.0f) kernels_.soft_cap(scores, seen.end[i], soft_cap, scores);
    // The weight of what was before the window is exactly 0.
    std::fill_n(scores, seen.begin[i], -std::numeric_limits<float>::max());
  }
  kernels_.attention.weigh(scratch_.scores, seen.end, queries.count, states);
  add_values(queries, seen, accumulators);
}

}  // namespace emberline
