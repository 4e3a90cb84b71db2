#include "model/kv_cache.h"

#include <algorithm>
#include <utility>

namespace emberline {

Result<KvCache> KvCache::create(KvPool& pool, std::uint32_t context) {
  KvCache cache(pool, context);
  const std::size_t most = kv_page_count(context);
  cache.pages_.reserve(most);
  Result<DeviceBuffer> table = DeviceBuffer::allocate(pool.device(), most * sizeof(std::uint32_t));
  if (!table.ok()) return table.error();
  cache.table_ = std::move(table).value();
  return cache;
}

Result<KvCache> KvCache::fork() const {
  Result<KvCache> made = create(*pool_, context_);
  if (!made.ok()) return made;
  KvCache& cache = made.value();
  for (const KvPage& page : pages_) {
    cache.pages_.push_back(page.share());
    const Status written = cache.write_entry(cache.pages_.size() - 1);
    if (!written.ok()) return written;
  }
  return made;
}

Status KvCache::write_entry(std::size_t index) {
  const std::uint32_t id = pages_[index].id();
  return pool_->device().write(table_.id(), index * sizeof id, &id, sizeof id);
}

Status KvCache::prepare_write(std::uint32_t begin, std::uint32_t end) {
  for (std::size_t i = begin / kKvPagePositions; i < kv_page_count(end); ++i) {
    if (i < pages_.size() && !pages_[i].shared()) continue;
    Result<KvPage> page = pool_->take();
    if (!page.ok()) return page.error();
    if (i < pages_.size()) {
      if (i * kKvPagePositions < begin) {
        const Status copied = page.value().copy_from(pages_[i]);
        if (!copied.ok()) return copied;
      }
      pages_[i] = std::move(page).value();
    } else {
      pages_.push_back(std::move(page).value());
    }
    const Status written = write_entry(i);
    if (!written.ok()) return written;
  }
  return {};
}

void KvCache::truncate(std::uint32_t end) {
  const std::size_t kept = std::min<std::size_t>(pages_.size(), kv_page_count(end));
  pages_.erase(pages_.begin() + static_cast<std::ptrdiff_t>(kept), pages_.end());
}

}  // namespace emberline
