// Keys and values of every position seen so far, as IEEE binary16.
//
// One device buffer of pages (device/ops.h), each with kKvPagePositions positions of every layer: layer by
// layer, first the keys, then the values. A position is valid once a replay that covers it has completed;
// which positions hold which token is the session's business.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "device/device.h"
#include "model/device_buffer.h"

namespace emberline {

struct Hyperparameters;

class KvCache {
 public:
  // `context` >= 1 positions. OUT_OF_MEMORY. `device` outlives the cache.
  static Result<KvCache> create(Device& device, const Hyperparameters& hyperparameters,
                                std::uint32_t context);

  std::uint32_t context() const { return context_; }
  // Of page 0.
  Binding keys(std::uint32_t layer) const { return buffer_.at(2 * layer * plane_bytes_); }
  Binding values(std::uint32_t layer) const { return buffer_.at((2 * layer + 1) * plane_bytes_); }
  Binding pages() const { return table_.at(); }
  std::uint32_t page_stride() const { return page_stride_; }

 private:
  DeviceBuffer buffer_;
  DeviceBuffer table_;  // u32 page ids
  std::uint32_t context_ = 0;
  std::uint32_t page_stride_ = 0;  // bytes
  std::uint64_t plane_bytes_ = 0;  // the keys, or the values, of one layer of a page
};

}  // namespace emberline
