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
  if (clock_ > ~Time{0} / 2) {  // long before it runs over: no dispatch has so many barriers
    std::fill(words_.begin(), words_.end(), Word{});
    std::fill(std::begin(simdgroup_epochs_), std::end(simdgroup_epochs_), 0);
    clock_ = 0;
  }
}

void ThreadgroupMemory::begin_threadgroup() {
  for (const ThreadgroupArray& array : arrays_) {
    std::memset(reinterpret_cast<void*>(array.begin), 0xFF, array.bytes);
  }
  epoch_ = threadgroup_began_ = ++clock_;
}

const ThreadgroupArray* ThreadgroupMemory::find(std::uintptr_t address) {
  if (recent_ != nullptr && address - recent_->begin < recent_->bytes_with_redzone) return recent_;
  for (const ThreadgroupArray& array : arrays_) {
    if (address - array.begin < array.bytes_with_redzone) return recent_ = &array;
  }
  return nullptr;
}

// Whether an access noted in `epoch` (and, of its simdgroup, `simdgroup_epoch`) happened before this one.
bool ThreadgroupMemory::ordered(Time epoch, Time simdgroup_epoch, std::uint32_t other_thread,
                                Access access) const {
  if (epoch != epoch_ || other_thread == access.thread) return true;
  return other_thread / kSimdWidth == access.simdgroup &&
         simdgroup_epoch != simdgroup_epochs_[access.simdgroup];
}

// Whether the same thread read the same bytes in this epoch already, and nobody has written them since: most
// loads are of this kind.
bool ThreadgroupMemory::read_before(const Word& word, std::uint8_t mask, Access access) const {
  return !access.store && word.threadgroup == threadgroup_began_ && word.read_in == epoch_ &&
         word.reader == access.thread && (word.read & mask) == mask && word.written_in != epoch_;
}

ThreadgroupMemory::Finding ThreadgroupMemory::record(const ThreadgroupArray& array, std::uintptr_t address,
                                                     std::size_t bytes, Access access, std::uint32_t& other) {
  const std::uintptr_t first = array.begin / 4 * 4;
  if (!access.store && address % 4 == 0 && bytes % 4 == 0) {
    const Word* word = &words_[array.first_word + (address - first) / 4];
    const Word* const end = word + bytes / 4;
    while (word != end && read_before(*word, 0xF, access)) ++word;
    if (word == end) return Finding::kNone;
  }
  for (std::uintptr_t at = address; at < address + bytes;) {
    const std::uintptr_t end = std::min(address + bytes, at / 4 * 4 + 4);
    const auto mask = static_cast<std::uint8_t>(((1u << (end - at)) - 1) << (at % 4));
    Word& word = words_[array.first_word + (at - first) / 4];
    const Finding finding =
        read_before(word, mask, access) ? Finding::kNone : record_word(word, mask, access, other);
    if (finding != Finding::kNone) return finding;
    at = end;
  }
  return Finding::kNone;
}

ThreadgroupMemory::Finding ThreadgroupMemory::record_word(Word& word, std::uint8_t mask, Access access,
                                                          std::uint32_t& other) {
  if (word.threadgroup != threadgroup_began_) {
    word = {};
    word.threadgroup = threadgroup_began_;
  }
  if (!access.store && (word.initialised & mask) != mask) return Finding::kUninitialised;

  const bool overwrites = (word.written & mask) != 0 && !(access.atomic && word.written_atomically);
  if (overwrites && !ordered(word.written_in, word.written_in_simdgroup, word.writer, access)) {
    other = word.writer;
    return Finding::kRace;
  }
  const Time simdgroup_epoch = simdgroup_epochs_[access.simdgroup];
  if (access.store) {
    const bool several = word.several_readers && word.reader == access.thread;
    const std::uint32_t reader =
        several ? access.thread ^ 1u : word.reader;  // some other lane of that simdgroup
    const bool was_read = (word.read & mask) != 0 && word.read_in == epoch_;
    if (was_read && !word.mixed_readers &&
        (word.several_simdgroups_read || !ordered(word.read_in, word.read_in_simdgroup, reader, access))) {
      other = word.reader;
      return Finding::kRace;
    }
    if (word.written_in != epoch_ || word.writer != access.thread) word.written = 0;
    word.written |= mask;
    word.initialised |= mask;
    word.written_in = epoch_;
    word.written_in_simdgroup = simdgroup_epoch;
    word.writer = static_cast<std::uint16_t>(access.thread);
    word.written_atomically = access.atomic;
    return Finding::kNone;
  }
  // An atomic load is ordered against atomic stores, and noted as none: only plain stores would race with it.
  if (access.atomic) return Finding::kNone;
  if (word.read_in != epoch_ || word.read == 0) {
    word.several_readers = word.several_simdgroups_read = word.mixed_readers = false;
    word.read = 0;
  } else if (word.reader != access.thread) {
    word.several_readers = true;
    if (word.read != mask) word.mixed_readers = true;
    if (word.reader / kSimdWidth != access.simdgroup) word.several_simdgroups_read = true;
  }
  word.read |= mask;
  word.read_in = epoch_;
  word.read_in_simdgroup = simdgroup_epoch;
  word.reader = static_cast<std::uint16_t>(access.thread);
  return Finding::kNone;
}

}  // namespace emberline::metal_sim
