// Watches every load and store of a checked kernel: which buffer it belongs to and whether that is allowed,
// and for threadgroup memory whether it was written before and is ordered by barriers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/executor/device_memory.h"
#include "kernels/executor/threadgroup_memory.h"
#include "kernels/simulator.h"

namespace emberline::metal_sim {

// A variable of a compiled library, with the room behind it that nothing may touch.
struct LibraryVariable {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0, bytes_with_redzone = 0;
  std::string name;  // "kernel::variable" for threadgroup memory
};

// A buffer as a kernel may touch it. Where buffers of one allocation overlap, each address belongs to the one
// that begins nearest below it; buffers that begin at the same address are one, loaded from through the slot
// that the kernel declares const and stored to through the other.
struct BoundBuffer {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;  // up to the next buffer that overlaps
  std::uintptr_t end = 0;
  std::uint32_t load_slot = 0, store_slot = 0;
  bool writable = false;
  std::uint64_t bytes_read = 0, bytes_written = 0;
};

class MemoryMonitor {
 public:
  static MemoryMonitor& instance() { return the_one_; }

  // `buffers`: one a slot, with load_slot equal to store_slot; they may overlap.
  // `unbound` is the inaccessible region that unbound slots point into, kUnboundBytes each.
  // checked: all loads and stores are seen; otherwise atomic operations alone, which then say nothing.
  void begin_dispatch(std::vector<BoundBuffer> buffers, const std::vector<LibraryVariable>* variables,
                      std::uintptr_t unbound, std::uintptr_t stacks, std::size_t stack_bytes, bool checked);
  const std::vector<BoundBuffer>& buffers() const { return buffers_; }
  ThreadgroupMemory& threadgroup() { return threadgroup_; }
  void begin_threadgroup();
  // A barrier, of the whole threadgroup or of one simdgroup, with the memory it orders
  // (metal_sim_memory_flags).
  void barrier(unsigned memory_flags);
  void simdgroup_barrier(unsigned memory_flags, std::uint32_t simdgroup);

  // One access by the current thread. Does not return if it is a fault.
  // Loads from a buffer that is only read, one after the other, need no note.
  template <bool kStore>
  void access(std::uintptr_t address, std::size_t bytes, const void* site) {
    if (address - stacks_ < stack_bytes_) return;
    BoundBuffer& recent = *recent_;
    const std::uintptr_t offset = address - recent.begin;
    if (!kStore && !recent.writable && offset < recent.bytes && bytes <= recent.bytes - offset) {
      recent.bytes_read += bytes;
      return;
    }
    other_access<kStore>(address, bytes, site);
  }
  // What an atomic operation touches: counted and checked, but never a race.
  void atomic(std::uintptr_t address, std::size_t bytes, bool reads, bool writes, const void* site);

  // Which buffer slot an address in the unbound region stands for, or -1.
  int unbound_slot(std::uintptr_t address) const;
  // "8 bytes past the end of buffer(3)", for an address outside all of them.
  std::string describe(std::uintptr_t address) const;

  static constexpr std::size_t kUnboundBytes = std::size_t{1} << 30;

 private:
  __attribute__((visibility("hidden"))) static MemoryMonitor the_one_;

  template <bool kStore>
  void other_access(std::uintptr_t address, std::size_t bytes, const void* site);
  void access_buffer(BoundBuffer& buffer, std::uintptr_t address, std::size_t bytes, bool store, bool atomic,
                     const void* site);
  void record_threadgroup(const ThreadgroupArray& array, std::uintptr_t address, std::size_t bytes,
                          bool store, bool atomic, const void* site);
  // Why an access is none that the kernel may make (memory_findings.cpp).
  [[noreturn]] void fail_threadgroup(const ThreadgroupArray& array, std::uintptr_t address, std::size_t bytes,
                                     bool store, Finding finding, std::uint32_t other, const void* site);
  [[noreturn]] void fail_race(const BoundBuffer& buffer, std::uintptr_t address, std::size_t bytes,
                              bool store, std::uint32_t other, const void* site);
  [[noreturn]] void fail_access(std::uintptr_t address, std::size_t bytes, bool store, const void* site);
  BoundBuffer* find_buffer(std::uintptr_t address);
  const LibraryVariable* find_variable(std::uintptr_t address) const;

  std::vector<BoundBuffer> buffers_;  // by begin, descending, apart from one another
  BoundBuffer none_;
  BoundBuffer* recent_ = &none_;
  const std::vector<LibraryVariable>* variables_ = nullptr;  // by begin, ascending
  ThreadgroupMemory threadgroup_;
  DeviceMemory device_;
  std::uintptr_t stacks_ = 0, unbound_ = 0;
  std::size_t stack_bytes_ = 0;
  bool checked_ = true;
};

}  // namespace emberline::metal_sim
