#include "kernels/executor/device_memory.h"

#include <algorithm>

namespace emberline::metal_sim {

void DeviceMemory::begin_dispatch() {
  constexpr std::size_t kMostPages = 8192;  // 32 MiB of buffers, noted in 300
  if (clock_.begin_dispatch() || pages_.size() > kMostPages) {
    pages_.clear();
    recent_ = nullptr;
  }
}

DeviceMemory::Page& DeviceMemory::page_of(std::uintptr_t address) {
  const std::uintptr_t number = address / kPageBytes;
  if (recent_ != nullptr && recent_number_ == number) return *recent_;
  std::unique_ptr<Page>& page = pages_[number];
  if (page == nullptr) page = std::make_unique<Page>();
  recent_number_ = number;
  recent_ = page.get();
  return *recent_;
}

Finding DeviceMemory::record(std::uintptr_t address, std::size_t bytes, Access access, std::uint32_t& other) {
  for (std::uintptr_t at = address; at < address + bytes;) {
    const std::uintptr_t end = std::min(address + bytes, at / 4 * 4 + 4);
    const auto mask = static_cast<std::uint8_t>(((1u << (end - at)) - 1) << (at % 4));
    WordHistory& word = page_of(at)[at % kPageBytes / 4];
    const BarrierClock::Time since = clock_.dispatch_began();
    if (!word.read_before(mask, access, clock_, since)) {
      const Finding finding = word.note(mask, access, clock_, since, other);
      if (finding != Finding::kNone) return finding;
    }
    at = end;
  }
  return Finding::kNone;
}

}  // namespace emberline::metal_sim
