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

  enum class Finding : std::uint8_t { kNone, kUninitialised, kRace, kOverrun };
  struct Access {
    std::uint32_t thread, simdgroup;
    bool store, atomic;
  };
  // Records an access within `array`. `other` is set to the thread raced with.
  Finding record(const ThreadgroupArray& array, std::uintptr_t address, std::size_t bytes, Access access,
                 std::uint32_t& other);

 private:
  using Time = std::uint32_t;  // of the clock, which barriers advance

  // What is known of four bytes; masks have a bit a byte.
  struct Word {
    Time threadgroup = 0;              // when the threadgroup began that the rest tells of
    Time written_in = 0, read_in = 0;  // the epochs of the last write and read
    Time written_in_simdgroup = 0, read_in_simdgroup = 0;  // those of their threads' simdgroups
    std::uint16_t writer = 0, reader = 0;                  // threads
    std::uint8_t initialised = 0, written = 0, read = 0;   // masks
    bool several_readers : 1 = false;
    bool several_simdgroups_read : 1 = false;
    bool mixed_readers : 1 = false;  // of different bytes: which of them read what is not known
    bool written_atomically : 1 = false;
  };
  Finding record_word(Word& word, std::uint8_t mask, Access access, std::uint32_t& other);
  bool ordered(Time epoch, Time simdgroup_epoch, std::uint32_t other_thread, Access access) const;
  bool read_before(const Word& word, std::uint8_t mask, Access access) const;

  std::vector<ThreadgroupArray> arrays_;  // by begin, ascending
  const ThreadgroupArray* recent_ = nullptr;
  std::vector<Word> words_;
  Time clock_ = 0, epoch_ = 0, threadgroup_began_ = 0;
  Time simdgroup_epochs_[kMaxThreadsPerThreadgroup / kSimdWidth] = {};
};

}  // namespace emberline::metal_sim
