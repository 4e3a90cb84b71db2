#include "model/kv_cache.h"

#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "model/hyperparameters.h"

namespace emberline {

Result<KvCache> KvCache::create(Device& device, const Hyperparameters& h, std::uint32_t context) {
  KvCache cache;
  cache.context_ = context;
  cache.plane_bytes_ = kv_page_bytes(h.kv_heads, h.head_width);
  const std::uint64_t page_bytes = 2 * cache.plane_bytes_ * h.layers;
  const std::uint32_t pages = kv_page_count(context);
  if (page_bytes > std::numeric_limits<std::uint32_t>::max() ||
      page_bytes > std::numeric_limits<std::size_t>::max() / pages) {
    return Status(ErrorCode::kOutOfMemory,
                  "A context of " + std::to_string(context) +
                      " tokens does not fit this machine's memory; choose a smaller one.");
  }
  cache.page_stride_ = static_cast<std::uint32_t>(page_bytes);
  Result<DeviceBuffer> buffer = DeviceBuffer::allocate(device, static_cast<std::size_t>(page_bytes * pages));
  if (!buffer.ok()) return buffer.error();
  cache.buffer_ = std::move(buffer).value();
  std::vector<std::uint32_t> ids(pages);
  std::iota(ids.begin(), ids.end(), 0u);
  Result<DeviceBuffer> table = DeviceBuffer::allocate(device, ids.size() * sizeof(std::uint32_t));
  if (!table.ok()) return table.error();
  cache.table_ = std::move(table).value();
  const Status written = device.write(cache.table_.id(), 0, ids.data(), ids.size() * sizeof(std::uint32_t));
  if (!written.ok()) return written;
  return cache;
}

}  // namespace emberline
