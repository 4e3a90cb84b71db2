#include "model/kv_pool.h"

#include <algorithm>
#include <limits>

#include "base/try.h"

namespace emberline {

namespace {

// Addresses for the pages of a model: more than its sessions will fill, and little of what a process has.
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 30;

}  // namespace

Result<std::unique_ptr<KvPool>> KvPool::create(Device& device, std::uint64_t plane_bytes,
                                               std::uint64_t planes) {
  const std::uint64_t page_bytes = plane_bytes * planes;
  if (page_bytes > std::numeric_limits<std::uint32_t>::max()) {
    return Status(ErrorCode::kOutOfMemory, "The keys and values of this model do not fit a device's memory.");
  }
  std::unique_ptr<KvPool> pool(new KvPool(device));
  pool->plane_bytes_ = plane_bytes;
  pool->page_bytes_ = static_cast<std::uint32_t>(page_bytes);
  // A system may limit a process's addresses: then fewer have to do.
  std::uint64_t pages = std::max<std::uint64_t>(1, kMostBytes / page_bytes);
  for (;; pages /= 2) {
    Result<DeviceBuffer> buffer = DeviceBuffer::reserve(device, static_cast<std::size_t>(page_bytes * pages));
    if (buffer.ok()) {
      pool->buffer_ = std::move(buffer).value();
      break;
    }
    if (pages == 1) return buffer.error();
  }
  pool->most_pages_ = static_cast<std::uint32_t>(pages);
  return pool;
}

Status KvPool::grow() {
  const std::size_t pages = owners_.size() + 1;
  if (pages > most_pages_) {
    return Status(ErrorCode::kOutOfMemory,
                  "The keys and values of all sessions fill the memory there is; close some sessions.");
  }
  const Status grown = device_.grow(buffer_.id(), pages * page_bytes_);
  if (!grown.ok()) return grown;
  free_.reserve(pages);
  owners_.push_back(0);
  free_.push_back(static_cast<std::uint32_t>(pages - 1));
  return grown;
}

Result<KvPage> KvPool::take() {
  if (free_.empty()) {
    TRY(grow());
  }
  const std::uint32_t page = free_.back();
  free_.pop_back();
  owners_[page] = 1;
  return KvPage(*this, page);
}

Status KvPool::copy(std::uint32_t from, std::uint32_t to) {
  const std::size_t bytes = page_bytes_;
  return device_.copy(buffer_.id(), from * bytes, buffer_.id(), to * bytes, bytes);
}

void KvPool::release(std::uint32_t page) {
  if (--owners_[page] == 0) free_.push_back(page);
}

}  // namespace emberline
