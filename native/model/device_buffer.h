// Device memory with an owner: released when the owner goes.
#pragma once

#include <cstddef>
#include <utility>

#include "device/device.h"

namespace emberline {

class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), id_(std::exchange(other.id_, kNoBuffer)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(id_, other.id_);
    return *this;
  }
  ~DeviceBuffer() {
    if (device_ != nullptr) device_->release(id_);
  }

  // `device` outlives the buffer.
  static Result<DeviceBuffer> allocate(Device& device, std::size_t bytes) {
    Result<BufferId> made = device.allocate(bytes);
    if (!made.ok()) return made.error();
    return adopt(device, made.value());
  }
  static Result<DeviceBuffer> reserve(Device& device, std::size_t most) {
    Result<BufferId> made = device.reserve(most);
    if (!made.ok()) return made.error();
    return adopt(device, made.value());
  }
  // Takes ownership of a buffer that the device made.
  static DeviceBuffer adopt(Device& device, BufferId id) {
    DeviceBuffer buffer;
    buffer.device_ = &device;
    buffer.id_ = id;
    return buffer;
  }

  BufferId id() const { return id_; }
  Binding at(std::uint64_t offset = 0) const { return {id_, offset}; }

 private:
  Device* device_ = nullptr;
  BufferId id_ = kNoBuffer;
};

}  // namespace emberline
