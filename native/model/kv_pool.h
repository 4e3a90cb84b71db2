// KV cache memory of some layers of a model: pages of kKvPagePositions positions (device/ops.h), each with
// the keys and values of all these layers, as their type says (kKv... of device/op_params.h).
//
// One device buffer that grows by a page when none is free, so memory follows what the sessions hold, not
// what they may come to hold. A page may be shared: it is free again when its last owner lets go.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/status.h"
#include "device/device.h"
#include "model/device_buffer.h"

namespace emberline {

class KvPage;

class KvPool {
 public:
  // Pages with `planes` times the keys, or the values, of a layer, `plane_bytes` each. Takes addresses, no
  // memory. OUT_OF_MEMORY. `device` outlives the pool.
  static Result<std::unique_ptr<KvPool>> create(Device& device, std::uint64_t plane_bytes,
                                                std::uint64_t planes);
  KvPool(const KvPool&) = delete;
  KvPool& operator=(const KvPool&) = delete;

  // A page with undefined contents and one owner. OUT_OF_MEMORY. The pool outlives it.
  Result<KvPage> take();

  Device& device() const { return device_; }
  Binding plane(std::uint64_t index) const { return buffer_.at(index * plane_bytes_); }  // of page 0
  std::uint32_t page_stride() const { return page_bytes_; }

  std::size_t pages() const { return owners_.size(); }  // that there is memory for
  std::size_t free_pages() const { return free_.size(); }

 private:
  friend class KvPage;
  explicit KvPool(Device& device) : device_(device) {}
  Status grow();
  Status copy(std::uint32_t from, std::uint32_t to);
  void release(std::uint32_t page);

  Device& device_;
  DeviceBuffer buffer_;
  std::uint64_t plane_bytes_ = 0;
  std::uint32_t page_bytes_ = 0;
  std::uint32_t most_pages_ = 0;       // that there are addresses for
  std::vector<std::uint32_t> owners_;  // of each page
  std::vector<std::uint32_t> free_;    // has room for every page
};

// One owner's hold on a page.
class KvPage {
 public:
  KvPage(KvPage&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)), id_(other.id_) {}
  KvPage& operator=(KvPage&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(id_, other.id_);
    return *this;
  }
  ~KvPage() {
    if (pool_ != nullptr) pool_->release(id_);
  }

  std::uint32_t id() const { return id_; }
  bool shared() const { return pool_->owners_[id_] > 1; }
  KvPage share() const {
    ++pool_->owners_[id_];
    return KvPage(*pool_, id_);
  }
  // Takes over the contents of another page.
  Status copy_from(const KvPage& other) { return pool_->copy(other.id_, id_); }

 private:
  friend class KvPool;
  KvPage(KvPool& pool, std::uint32_t id) : pool_(&pool), id_(id) {}

  KvPool* pool_;
  std::uint32_t id_;
};

}  // namespace emberline
