#include "device/cpu/stages/attention_chunk.h"

#include <algorithm>
#include <limits>

namespace emberline {

AttentionChunk::AttentionChunk(const Kernels& kernels, const KvPages& cache, std::size_t kv_head,
                               std::size_t position, std::size_t entries, std::size_t queries,
                               AttentionWorker& scratch)
    : kernels_(kernels),
      cache_(cache),
      kv_head_(kv_head),
      position_(position),
      padded_(padded_head_width(cache.head_width)),
      widened_(queries > kernels.attention.most_narrow_queries || padded_ != cache.head_width),
      scratch_(scratch) {
  if (!widened_) return;
  const std::size_t d = cache.head_width;
  const std::size_t blocks = (entries + kKeyBlock - 1) / kKeyBlock;
  kernels.widen_halves(cache.key_block(kv_head, position), blocks * kKeyBlock * d, scratch.keys);
  const std::uint16_t* values = cache.value_rows(kv_head, position);
  if (padded_ == d) {
    kernels.widen_halves(values, entries * d, scratch.values);
    return;
  }
  for (std::size_t j = 0; j < entries; ++j) {
    kernels.widen_halves(values + j * d, d, scratch.values + j * padded_);
    std::fill_n(scratch.values + j * padded_ + d, padded_ - d, 0.0f);
  }
}

void AttentionChunk::attend(const AttentionQueries& queries, const SeenEntries& seen, float soft_cap,
                            AttentionState* states, float* accumulators) const {
  const AttentionKernels& kernels = kernels_.attention;
  const std::size_t d = cache_.head_width;
  for (std::size_t j = 0; j < seen.end[queries.count - 1]; j += kKeyBlock) {
    if (widened_) {
      kernels.score(queries, scratch_.keys + j * d, d, scratch_.scores + j);
    } else {
      kernels.score_halves(queries, cache_.key_block(kv_head_, position_ + j), d, scratch_.scores + j);
    }
  }
  for (std::size_t i = 0; i < queries.count; ++i) {
    float* scores = scratch_.scores + i * kAttentionChunk;
    if (soft_cap != 0.0f) kernels_.soft_cap(scores, seen.end[i], soft_cap, scores);
    // The weight of what was before the window is exactly 0.
    std::fill_n(scores, seen.begin[i], -std::numeric_limits<float>::max());
  }
  kernels.weigh(scratch_.scores, seen.end, queries.count, states);
  if (widened_) {
    kernels.add_values(scratch_.scores, seen.end, queries.count, scratch_.values, padded_, accumulators,
                       padded_);
  } else {
    kernels.add_value_halves(scratch_.scores, seen.end, queries.count, cache_.value_rows(kv_head_, position_),
                             padded_, accumulators, padded_);
  }
}

}  // namespace emberline
