// What the threads of a dispatch did to the device memory that they may write: races between threads, of one
// threadgroup or of several.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "kernels/executor/access_history.h"

namespace emberline::metal_sim {

class DeviceMemory {
 public:
  void begin_dispatch();
  BarrierClock& clock() { return clock_; }

  // `other` is set to the thread raced with.
  Finding record(std::uintptr_t address, std::size_t bytes, Access access, std::uint32_t& other);

 private:
  static constexpr std::size_t kPageBytes = 4096;
  using Page = std::array<WordHistory, kPageBytes / 4>;

  Page& page_of(std::uintptr_t address);

  BarrierClock clock_;
  std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages_;  // by address / kPageBytes
  std::uintptr_t recent_number_ = 0;
  Page* recent_ = nullptr;
};

}  // namespace emberline::metal_sim
