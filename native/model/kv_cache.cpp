#include "model/kv_cache.h"

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace emberline {

Result<KvCache> KvCache::create(KvMemory& memory, std::uint32_t context) {
  KvCache cache(memory, context);
  for (const KvMemory::Kind& kind : memory.kinds()) {
    TRY_VALUE(KvPageTable table, KvPageTable::create(*kind.pool, kind.layers.window, context));
    cache.tables_.push_back(std::move(table));
  }
  return cache;
}

Result<KvCache> KvCache::fork() const {
  KvCache cache(*memory_, context_);
  for (const KvPageTable& table : tables_) {
    TRY_VALUE(KvPageTable forked, table.fork());
    cache.tables_.push_back(std::move(forked));
  }
  return cache;
}

Status KvCache::prepare_write(std::uint32_t begin, std::uint32_t end) {
  for (KvPageTable& table : tables_) TRY(table.prepare_write(begin, end));
  return {};
}

void KvCache::truncate(std::uint32_t end) {
  for (KvPageTable& table : tables_) table.truncate(end);
}

bool KvCache::can_continue(std::uint32_t position) const {
  return std::all_of(tables_.begin(), tables_.end(),
                     [position](const KvPageTable& table) { return table.can_continue(position); });
}

std::uint64_t KvCache::held_bytes() const {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < tables_.size(); ++i)
    bytes += std::uint64_t{tables_[i].held_pages()} * memory_->kinds()[i].pool->page_stride();
  return bytes;
}

}  // namespace emberline
