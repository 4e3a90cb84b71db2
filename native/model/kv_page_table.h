// The pages that one session holds of a pool, in the order of their positions, and the same on the device,
// where the ops read it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "device/device.h"
#include "model/device_buffer.h"
#include "model/kv_pool.h"

namespace emberline {

class KvPageTable {
 public:
  // For `context` >= 1 positions of layers with such a window (0: none), without pages yet. OUT_OF_MEMORY.
  // `pool` outlives the table.
  static Result<KvPageTable> create(KvPool& pool, std::uint32_t window, std::uint32_t context);
  // One that shares every page. OUT_OF_MEMORY.
  Result<KvPageTable> fork() const;

  // As KvCache.
  Status prepare_write(std::uint32_t begin, std::uint32_t end);
  void truncate(std::uint32_t end);
  // Whether all that a row at `position` sees is held.
  bool can_continue(std::uint32_t position) const;

  std::size_t held_pages() const { return pages_.size(); }
  Binding at() const { return ids_.at(); }

 private:
  KvPageTable(KvPool& pool, std::uint32_t window, std::uint32_t context)
      : pool_(&pool), window_(window), context_(context) {}
  void give_up_before(std::uint32_t position);
  Status write_id(std::size_t index);

  KvPool* pool_;
  std::uint32_t window_, context_;
  std::size_t first_ = 0;      // pages of the context that were given up at its start
  std::vector<KvPage> pages_;  // from there on
  DeviceBuffer ids_;           // u32, of the context's pages; of one that was given up whatever it was
};

}  // namespace emberline
