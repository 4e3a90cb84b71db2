#include "model/kv_cache.h"

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace emberline {

Result<KvCache> KvCache::create(KvPool& pool, std::uint32_t context) {
  KvCache cache(pool, context);
  const std::size_t most = kv_page_count(context);
  cache.pages_.reserve(most);
  TRY_VALUE(cache.table_, DeviceBuffer::allocate(pool.device(), most * sizeof(std::uint32_t)));
  return cache;
}

Result<KvCache> KvCache::fork() const {
  Result<KvCache> made = create(*pool_, context_);
  if (!made.ok()) return made;
  KvCache& cache = made.value();
  for (const KvPage& page : pages_) {
    cache.pages_.push_back(page.share());
    TRY(cache.write_entry(cache.pages_.size() - 1));
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
    TRY_VALUE(KvPage page, pool_->take());
    if (i < pages_.size()) {
      if (i * kKvPagePositions < begin) {
        TRY(page.copy_from(pages_[i]));
      }
      pages_[i] = std::move(page);
    } else {
      pages_.push_back(std::move(page));
    }
    TRY(write_entry(i));
  }
  return {};
}

void KvCache::truncate(std::uint32_t end) {
  const std::size_t kept = std::min<std::size_t>(pages_.size(), kv_page_count(end));
  pages_.erase(pages_.begin() + static_cast<std::ptrdiff_t>(kept), pages_.end());
}

}  // namespace emberline
