// Keys and values of every position seen so far, as IEEE binary16.
//
// One device buffer: layer by layer, first the keys, then the values, each [context, G*d] row-major. A row is
// valid once a replay that covers its position has completed; which rows hold which token is the session's
// business.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "device/device.h"
#include "model/device_buffer.h"

namespace emberline {

struct Hyperparameters;

class KvCache {
 public:
  // `context` >= 1 rows. OUT_OF_MEMORY. `device` outlives the cache.
  static Result<KvCache> create(Device& device, const Hyperparameters& hyperparameters,
                                std::uint32_t context);

  std::uint32_t context() const { return context_; }
  Binding keys(std::uint32_t layer) const { return buffer_.at(2 * layer * plane_bytes_); }
  Binding values(std::uint32_t layer) const { return buffer_.at((2 * layer + 1) * plane_bytes_); }

 private:
  DeviceBuffer buffer_;
  std::uint32_t context_ = 0;
  std::uint64_t plane_bytes_ = 0;  // the keys, or the values, of one layer
};

}  // namespace emberline
