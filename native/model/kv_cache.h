// Keys and values of one session's positions: a table of pages for each kind of layer (kv_memory.h).
//
// A position is valid once a replay that covers it has completed; which positions hold which token is the
// session's business. A fork shares every page with its origin; whoever writes to a shared page first gets a
// copy of its own, so that neither sees what the other writes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "device/device.h"
#include "model/kv_memory.h"
#include "model/kv_page_table.h"

namespace emberline {

class KvCache {
 public:
  // `context` >= 1 positions, without pages yet. OUT_OF_MEMORY. `memory` outlives the cache.
  static Result<KvCache> create(KvMemory& memory, std::uint32_t context);
  // A cache with the same contents. OUT_OF_MEMORY.
  Result<KvCache> fork() const;

  // Makes positions [begin, end) writable, begin <= end <= context: of the positions before `begin` those
  // keep their contents that rows from begin - kKvMargin on see, the others may lose theirs. OUT_OF_MEMORY
  // leaves the contents before `begin` alone. can_continue(begin) holds.
  Status prepare_write(std::uint32_t begin, std::uint32_t end);
  // Lets go of the pages that hold no position before `end`.
  void truncate(std::uint32_t end);
  // Whether rows can be written from `position` on: whether all is held that they see before it. Always, up
  // to kKvMargin before the last `begin` of prepare_write, and at 0, before which there is nothing.
  bool can_continue(std::uint32_t position) const;

  std::uint32_t context() const { return context_; }
  std::uint64_t held_bytes() const;

  // What the ops of a layer are bound to.
  Binding keys(std::uint32_t layer) const { return memory_->keys(layer); }
  Binding values(std::uint32_t layer) const { return memory_->values(layer); }
  Binding pages(std::uint32_t layer) const { return tables_[memory_->kind(layer)].at(); }
  std::uint32_t page_stride(std::uint32_t layer) const { return memory_->page_stride(layer); }
  std::uint32_t type() const { return memory_->cache_type(); }

 private:
  KvCache(KvMemory& memory, std::uint32_t context) : memory_(&memory), context_(context) {}

  KvMemory* memory_;
  std::uint32_t context_;
  std::vector<KvPageTable> tables_;  // of each kind
};

}  // namespace emberline
