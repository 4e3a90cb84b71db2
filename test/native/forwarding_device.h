// A device that passes everything on to another: for tests that change one thing.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "device/deferred_device.h"

namespace emberline::testing {

class ForwardingDevice : public DeferredDevice {
 public:
  explicit ForwardingDevice(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  const char* name() const override { return device_->name(); }
  std::string description() const override { return device_->description(); }
  bool offers(Op op, std::uint32_t max_rows) const override { return device_->offers(op, max_rows); }
  bool offers_cache(std::uint32_t cache_type) const override { return device_->offers_cache(cache_type); }
  Result<BufferId> allocate(std::size_t bytes) override { return device_->allocate(bytes); }
  Result<LoadedMatrices> load_matrices(std::span<const MatrixSource> sources,
                                       const MatrixLoading& loading) override {
    return device_->load_matrices(sources, loading);
  }
  Result<BufferId> reserve(std::size_t most) override { return device_->reserve(most); }
  Status grow(BufferId buffer, std::size_t bytes) override { return device_->grow(buffer, bytes); }
  void release(BufferId buffer) override { device_->release(buffer); }
  Status write(BufferId buffer, std::size_t offset, const void* data, std::size_t bytes) override {
    return device_->write(buffer, offset, data, bytes);
  }
  Status read(BufferId buffer, std::size_t offset, void* data, std::size_t bytes) override {
    return device_->read(buffer, offset, data, bytes);
  }
  Status copy(BufferId from, std::size_t from_offset, BufferId to, std::size_t to_offset,
              std::size_t bytes) override {
    return device_->copy(from, from_offset, to, to_offset, bytes);
  }
  Status prepare(const DispatchTable& table) override { return device_->prepare(table); }

 protected:
  Result<ReplayOutcome> run(const DispatchTable& table, const Replay& request) override {
    return device_->replay(table, request);
  }

 private:
  std::unique_ptr<Device> device_;
};

}  // namespace emberline::testing
