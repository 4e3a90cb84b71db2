#include "kernels/executor/threadgroup_memory.h"

#include <algorithm>
#include <cstring>

namespace emberline::metal_sim {

void ThreadgroupMemory::begin_dispatch(std::vector<ThreadgroupArray> arrays) {
  arrays_ = std::move(arrays);
  std::sort(arrays_.begin(), arrays_.end(),
            [](const ThreadgroupArray& a, const ThreadgroupArray& b) { return a.begin < b.begin; });
  recent_ = nullptr;
  std::size_t words = 0;
  for (ThreadgroupArray& array : arrays_) {
    array.first_word = words;
    words += (array.bytes + array.begin % 4 + 3) / 4;
  }
  if (words_.size() < words) words_.resize(words);
  if (clock_.begin_dispatch()) std::fill(words_.begin(), words_.end(), WordHistory{});
}

void ThreadgroupMemory::begin_threadgroup() {
  for (const ThreadgroupArray& array : arrays_) {
    std::memset(reinterpret_cast<void*>(array.begin), 0xFF, array.bytes);
  }
  clock_.begin_threadgroup();
}

const ThreadgroupArray* ThreadgroupMemory::find(std::uintptr_t address) {
  if (recent_ != nullptr && address - recent_->begin < recent_->bytes_with_redzone) return recent_;
  for (const ThreadgroupArray& array : arrays_) {
    if (address - array.begin < array.bytes_with_redzone) return recent_ = &array;
  }
  return nullptr;
}

Finding ThreadgroupMemory::record(const ThreadgroupArray& array, std::uintptr_t address, std::size_t bytes,
                                  Access access, std::uint32_t& other) {
  const std::uintptr_t first = array.begin / 4 * 4;
  const BarrierClock::Time since = clock_.threadgroup_began();
  if (!access.store && address % 4 == 0 && bytes % 4 == 0) {
    const WordHistory* word = &words_[array.first_word + (address - first) / 4];
    const WordHistory* const end = word + bytes / 4;
    while (word != end && word->read_before(0xF, access, clock_, since)) ++word;
    if (word == end) return Finding::kNone;
  }
  for (std::uintptr_t at = address; at < address + bytes;) {
    const std::uintptr_t end = std::min(address + bytes, at / 4 * 4 + 4);
    const auto mask = static_cast<std::uint8_t>(((1u << (end - at)) - 1) << (at % 4));
    WordHistory& word = words_[array.first_word + (at - first) / 4];
    if (!access.store && !word.initialised(mask, since)) return Finding::kUninitialised;
    const Finding finding = word.note(mask, access, clock_, since, other);
    if (finding != Finding::kNone) return finding;
    at = end;
  }
  return Finding::kNone;
}

}  // namespace emberline::metal_sim
