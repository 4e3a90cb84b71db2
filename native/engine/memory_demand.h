// Whether a model has room in the memory there is, asked before it is loaded.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "engine/model_outline.h"

namespace emberline {

// Where weights are while a model runs.
enum class WeightPlace {
  kPacked,  // the processor's memory, in its own layout
  kMapped,  // the file itself, as a GPU reads it
};

// What a model takes, or a model and its draft model together. Mapped weights count: a token reads them all.
struct MemoryDemand {
  std::uint64_t weight_bytes = 0;
  std::uint64_t working_bytes = 0;
  std::uint64_t loading_bytes = 0;  // given back before there are keys and values
  std::vector<KvOutline> kv;
  std::uint32_t context_length = 0;  // the model's own, which no session exceeds

  // With a session whose KV cache is full to `context` tokens, capped by the model's own; while it is loaded,
  // if that takes more.
  std::uint64_t bytes(std::uint32_t context) const;
  // The most tokens of a session for which `available` bytes do; 0: not even for one page of them.
  std::uint32_t largest_context(std::uint64_t available) const;
  // The same with a draft model beside.
  MemoryDemand with_draft(const MemoryDemand& draft) const;
  // Of keys and values alone.
  std::uint64_t kv_bytes(std::uint32_t context) const;
};

// `cache_type`: kKv... of op_params.h.
MemoryDemand memory_demand(const ModelOutline& outline, WeightPlace place, std::uint32_t cache_type);

// MODEL_EXCEEDS_MEMORY where `demand` with `context` tokens is more than `available` bytes: a sentence that
// says both, and with how long a context there is room, if with any.
Status check_memory(const MemoryDemand& demand, std::uint32_t context, std::uint64_t available);

}  // namespace emberline
