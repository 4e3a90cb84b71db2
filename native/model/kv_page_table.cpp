#include "model/kv_page_table.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "device/ops.h"
#include "model/kv_layers.h"

namespace emberline {

Result<KvPageTable> KvPageTable::create(KvPool& pool, std::uint32_t window, std::uint32_t context) {
  KvPageTable table(pool, window, context);
  table.pages_.reserve(kv_page_count(context));
  TRY_VALUE(table.ids_,
            DeviceBuffer::allocate(pool.device(), kv_page_count(context) * sizeof(std::uint32_t)));
  return table;
}

Result<KvPageTable> KvPageTable::fork() const {
  Result<KvPageTable> made = create(*pool_, window_, context_);
  if (!made.ok()) return made;
  KvPageTable& table = made.value();
  table.first_ = first_;
  for (const KvPage& page : pages_) {
    table.pages_.push_back(page.share());
    TRY(table.write_id(table.pages_.size() - 1));
  }
  return made;
}

Status KvPageTable::write_id(std::size_t index) {
  const std::uint32_t id = pages_[index].id();
  return pool_->device().write(ids_.id(), (first_ + index) * sizeof id, &id, sizeof id);
}

void KvPageTable::give_up_before(std::uint32_t position) {
  const std::size_t first = position / kKvPagePositions;
  if (first <= first_) return;
  const std::size_t given_up = std::min(first - first_, pages_.size());
  pages_.erase(pages_.begin(), pages_.begin() + static_cast<std::ptrdiff_t>(given_up));
  first_ += given_up;
}

Status KvPageTable::prepare_write(std::uint32_t begin, std::uint32_t end) {
  if (!can_continue(begin)) {
    return Status(ErrorCode::kInternal,
                  "A session was to go on behind positions that it has given up; please report this.");
  }
  if (begin == 0 && first_ > 0) truncate(0);
  give_up_before(kv_kept_from(window_, begin));
  for (std::size_t page = begin / kKvPagePositions; page < kv_page_count(end); ++page) {
    const std::size_t i = page - first_;
    if (i < pages_.size() && !pages_[i].shared()) continue;
    TRY_VALUE(KvPage taken, pool_->take());
    if (i < pages_.size()) {
      if (page * kKvPagePositions < begin) {
        TRY(taken.copy_from(pages_[i]));
      }
      pages_[i] = std::move(taken);
    } else {
      pages_.push_back(std::move(taken));
    }
    TRY(write_id(i));
  }
  return {};
}

void KvPageTable::truncate(std::uint32_t end) {
  const std::size_t count = kv_page_count(end);
  const std::size_t kept = std::min(pages_.size(), count - std::min(count, first_));
  pages_.erase(pages_.begin() + static_cast<std::ptrdiff_t>(kept), pages_.end());
  if (pages_.empty()) first_ = std::min(first_, count);
}

bool KvPageTable::can_continue(std::uint32_t position) const {
  if (first_ == 0 || position == 0) return true;  // nothing was given up, or nothing is looked at
  return std::uint64_t{position} + 1 >= first_ * kKvPagePositions + window_;
}

}  // namespace emberline
