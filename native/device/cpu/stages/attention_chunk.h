// Attention of some queries over one chunk of the cache.
#pragma once

#include "device/cpu/attention_scratch.h"
#include "device/cpu/kernels/kernels.h"
#include "device/cpu/stages/kv_pages.h"

namespace emberline {

constexpr std::size_t padded_head_width(std::size_t d) {
  return (d + kHeadPadding - 1) / kHeadPadding * kHeadPadding;
}

// Query i sees entries [begin[i], end[i]) of a chunk, one at least; neither decreases.
struct SeenEntries {
  const std::uint32_t* begin;
  const std::uint32_t* end;
};

// A chunk of the cache for one key/value head. Where many queries will read it, its halves, or quants, are
// widened once, into the worker's memory.
class AttentionChunk {
 public:
  // The chunk that begins at `position`, of which the first `entries` are read, by `queries` queries. `next`:
  // keys of the chunk that is read behind it, which are fetched meanwhile.
  AttentionChunk(const Kernels& kernels, const KvPages& cache, std::size_t kv_head, std::size_t position,
                 std::size_t entries, std::size_t queries, const void* next, AttentionWorker& scratch);

  // queries.count <= kScoredQueries, queries.stride = padded_head_width(d); `soft_cap` as AttentionParams.
  // Writes states[count] and accumulators[count, padded width].
  void attend(const AttentionQueries& queries, const SeenEntries& seen, float soft_cap,
              AttentionState* states, float* accumulators) const;

 private:
  bool quantized() const { return cache_.cache_type == kKvQ8_0; }
  void widen_halves(std::size_t entries) const;
  void widen_scales(std::size_t entries) const;
  void widen_quants(std::size_t entries) const;
  void score_block(const AttentionQueries& queries, std::size_t first, std::size_t entries) const;
  void add_values(const AttentionQueries& queries, const SeenEntries& seen, float* accumulators) const;

  const Kernels& kernels_;
  const KvPages& cache_;
  const std::size_t kv_head_, position_, padded_;
  const bool widened_;
  const void* const next_;
  AttentionWorker& scratch_;
};

}  // namespace emberline
