// Keys and values of one session's positions: a table of pages (kv_pool.h), and the same on the device, where
// the ops read it.
//
// A position is valid once a replay that covers it has completed; which positions hold which token is the
// session's business. A fork shares every page with its origin; whoever writes to a shared page first gets a
// copy of its own, so that neither sees what the other writes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "device/device.h"
#include "model/device_buffer.h"
#include "model/kv_pool.h"

namespace emberline {

class KvCache {
 public:
  // `context` >= 1 positions, without pages yet. OUT_OF_MEMORY. `pool` outlives the cache.
  static Result<KvCache> create(KvPool& pool, std::uint32_t context);
  // A cache with the same contents. OUT_OF_MEMORY.
  Result<KvCache> fork() const;

  // Makes positions [begin, end) writable, begin <= end <= context: every position before `begin` keeps its
  // contents, the others may lose theirs. OUT_OF_MEMORY leaves the contents before `begin` alone.
  Status prepare_write(std::uint32_t begin, std::uint32_t end);
  // Lets go of the pages that hold no position before `end`.
  void truncate(std::uint32_t end);

  std::uint32_t context() const { return context_; }
  std::size_t held_pages() const { return pages_.size(); }

  // What the ops are bound to.
  Binding keys(std::uint32_t layer) const { return pool_->keys(layer); }
  Binding values(std::uint32_t layer) const { return pool_->values(layer); }
  Binding pages() const { return table_.at(); }
  std::uint32_t page_stride() const { return pool_->page_stride(); }
  std::uint32_t type() const { return pool_->cache_type(); }

 private:
  KvCache(KvPool& pool, std::uint32_t context) : pool_(&pool), context_(context) {}
  Status write_entry(std::size_t index);

  KvPool* pool_;
  std::uint32_t context_;
  std::vector<KvPage> pages_;  // has room for the context's
  DeviceBuffer table_;         // u32 ids of pages_
};

}  // namespace emberline
