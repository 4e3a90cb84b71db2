#include "model/kv_cache.h"

#include <cstddef>
#include <limits>
#include <string>

#include "model/hyperparameters.h"

namespace emberline {

Result<KvCache> KvCache::create(Device& device, const Hyperparameters& h, std::uint32_t context) {
  KvCache cache;
  cache.context_ = context;
  // Rounded up to a cache line so that every plane starts aligned. At most 2^32 * 2^20 * 2 bytes: no
  // overflow.
  const std::uint64_t bytes = static_cast<std::uint64_t>(context) * h.kv_width() * sizeof(std::uint16_t);
  cache.plane_bytes_ = (bytes + 63) / 64 * 64;
  const std::uint64_t planes = 2ull * h.layers;
  if (cache.plane_bytes_ > std::numeric_limits<std::size_t>::max() / planes) {
    return Status(ErrorCode::kOutOfMemory,
                  "A context of " + std::to_string(context) +
                      " tokens does not fit this machine's memory; choose a smaller one.");
  }
  Result<DeviceBuffer> buffer =
      DeviceBuffer::allocate(device, static_cast<std::size_t>(cache.plane_bytes_ * planes));
  if (!buffer.ok()) return buffer.error();
  cache.buffer_ = std::move(buffer).value();
  return cache;
}

}  // namespace emberline
