// The threadgroup memory of a dispatch: the arrays that its kernel declares, and those whose lengths the host
// sets. For a checked library, what has happened to each of its bytes since the threadgroup began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/simulator.h"

namespace emberline::metal_sim {

struct ThreadgroupArray {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0, bytes_with_redzone = 0;
  std::string name;
  std::size_t first_word = 0;  // of its bytes, in the record
};

class ThreadgroupMemory {
 public:
  void begin_dispatch(std::vector<ThreadgroupArray> arrays);
  // Fills every array with the bits of a NaN and forgets what was written.
  void begin_threadgroup();
  // A barrier with mem_threadgroup: orders what came before it, in all threads or in those of one simdgroup.
  void barrier() { epoch_ = ++clock_; }
  void simdgroup_barrier(std::uint32_t simdgroup) { simdgroup_epochs_[simdgroup] = ++clock_; }

  // The array that holds `address`, or whose redzone does; null when it is none of them.
  const ThreadgroupArray* find(std::uintptr_t address);

  enum class Finding : std::uint8_t { kNone, kUninitialised, kRace };
  struct Access {
    std::uint32_t thread, simdgroup;
    bool store, atomic;
  };
  // Records an access within `array`. `other` is set to the thread raced with.
  Finding record(const ThreadgroupArray& array, std::uintptr_t address, std::size_t bytes, Access access,
                 std::uint32_t& other);

 private:
  // What is known of four bytes. Times are values of the clock; `bytes` masks have a bit a byte.
  struct Word {
    std::uint64_t threadgroup = 0;              // when the threadgroup began in which the rest was noted
    std::uint64_t written_in = 0, read_in = 0;  // the epoch of the last write and read
    std::uint64_t written_in_simdgroup = 0, read_in_simdgroup = 0;  // the same of the thread's simdgroup
    std::uint16_t writer = 0, reader = 0;                           // threads
    bool several_readers = false, several_simdgroups_read = false;
    bool mixed_readers = false;  // of different bytes: which of them read what is not known
    bool written_atomically = false;
    std::uint8_t initialised = 0, written = 0, read = 0;  // masks
  };
  Finding record_word(Word& word, std::uint8_t mask, Access access, std::uint32_t& other);
  bool ordered(std::uint64_t epoch, std::uint64_t simdgroup_epoch, std::uint32_t other_thread,
               Access access) const;

  std::vector<ThreadgroupArray> arrays_;  // by begin, ascending
  const ThreadgroupArray* recent_ = nullptr;
  std::vector<Word> words_;
  std::uint64_t clock_ = 0, epoch_ = 0, threadgroup_began_ = 0;
  std::uint64_t simdgroup_epochs_[kMaxThreadsPerThreadgroup / kSimdWidth] = {};
};

}  // namespace emberline::metal_sim
