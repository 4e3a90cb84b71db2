// Buffers, and the device's scratch memory, which is as large as a plan asks for.
#pragma once

#include <cstdint>

#include "device/checks/command_check.h"
#include "device/metal/lowering.h"

namespace emberline::metal {

class WithScratch final : public BufferExtents {
 public:
  explicit WithScratch(const BufferExtents& buffers) : buffers_(buffers) {}
  BufferExtent extent(BufferId id) const override {
    constexpr std::uint64_t kAny = ~std::uint64_t{0};
    return id == kScratchBuffer ? BufferExtent{kAny, kAny, false} : buffers_.extent(id);
  }

 private:
  const BufferExtents& buffers_;
};

}  // namespace emberline::metal
