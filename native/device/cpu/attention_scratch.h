// Scratch memory of the attention stages.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "device/cpu/kernels/attention_kernels.h"

namespace emberline {

// Queries whose scores over a chunk are held at a time.
constexpr std::size_t kScoredQueries = 32;

struct AttentionNeeds {
  std::size_t width = 0;     // of a head, padded to a multiple of kHeadPadding
  std::size_t queries = 0;   // of a unit
  std::size_t partials = 0;  // results of a query over a chunk that wait for being merged
  std::size_t kv_heads = 0;
};
inline AttentionNeeds larger(const AttentionNeeds& a, const AttentionNeeds& b) {
  return {std::max(a.width, b.width), std::max(a.queries, b.queries), std::max(a.partials, b.partials),
          std::max(a.kv_heads, b.kv_heads)};
}

// One thread's own.
struct AttentionWorker {
  float* queries = nullptr;         // [queries, width]
  std::uint32_t* unseen = nullptr;  // [queries] entries before the window, of the current chunk
  std::uint32_t* seen = nullptr;    // [queries] where its seen entries end
  float* keys = nullptr;            // [kAttentionChunk / kKeyBlock, width, kKeyBlock]
  float* values = nullptr;          // [kAttentionChunk, width]
  float* scores = nullptr;          // [kScoredQueries, kAttentionChunk]
  // Of a chunk of kKvQ8_0:
  float* key_scales = nullptr;    // [kAttentionChunk / kKeyBlock, blocks, kKeyBlock]
  float* value_scales = nullptr;  // [kAttentionChunk, blocks]
  // A key that is about to be written:
  float* row = nullptr;             // [width]
  std::uint16_t* halves = nullptr;  // [width], of kKvQ8_0 the scales
  std::int8_t* quants = nullptr;    // [width]
  // Running results, and those over the current chunk.
  AttentionState* states = nullptr;        // [queries]
  float* accumulators = nullptr;           // [queries, width]
  AttentionState* chunk_states = nullptr;  // [kScoredQueries]
  float* chunk_accumulators = nullptr;     // [kScoredQueries, width]
};

// Shared by the threads of a stage.
struct AttentionPartials {
  AttentionState* states = nullptr;                // [partials]
  float* accumulators = nullptr;                   // [partials, width]
  std::atomic<std::uint32_t>* finished = nullptr;  // [kv_heads] chunks of the head that are done
};

}  // namespace emberline
