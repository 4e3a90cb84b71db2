#include "kernels/executor/memory_monitor.h"

#include <algorithm>

#include "kernels/executor/scheduler.h"

namespace emberline::metal_sim {
namespace {

// Makes overlapping buffers disjoint. `buffers` is sorted by begin, ascending.
std::vector<BoundBuffer> separate(const std::vector<BoundBuffer>& buffers) {
  std::vector<BoundBuffer> apart;
  for (const BoundBuffer& buffer : buffers) {
    if (!apart.empty() && apart.back().begin == buffer.begin) {
      BoundBuffer& same = apart.back();
      if (buffer.writable && !same.writable) same.store_slot = buffer.store_slot;
      if (!buffer.writable && same.writable) same.load_slot = buffer.load_slot;
      same.writable = same.writable || buffer.writable;
      same.end = std::max(same.end, buffer.end);
      same.bytes = same.end - same.begin;
      continue;
    }
    if (!apart.empty()) apart.back().bytes = std::min(apart.back().bytes, buffer.begin - apart.back().begin);
    apart.push_back(buffer);
  }
  return apart;
}

Access access_of_current(bool store, bool atomic) {
  const metal_sim_thread& ids = Scheduler::instance().current().ids;
  return {ids.thread_index_in_threadgroup, ids.simdgroup_index_in_threadgroup, store, atomic};
}

}  // namespace

MemoryMonitor MemoryMonitor::the_one_;

void MemoryMonitor::begin_dispatch(std::vector<BoundBuffer> buffers,
                                   const std::vector<LibraryVariable>* variables, std::uintptr_t unbound,
                                   std::uintptr_t stacks, std::size_t stack_bytes, bool checked) {
  std::sort(buffers.begin(), buffers.end(),
            [](const BoundBuffer& a, const BoundBuffer& b) { return a.begin < b.begin; });
  buffers_ = separate(buffers);
  std::reverse(buffers_.begin(), buffers_.end());
  recent_ = &none_;
  variables_ = variables;
  unbound_ = unbound;
  stacks_ = stacks;
  stack_bytes_ = stack_bytes;
  checked_ = checked;
  device_.begin_dispatch();
}

void MemoryMonitor::begin_threadgroup() {
  threadgroup_.begin_threadgroup();
  device_.clock().begin_threadgroup();
}

void MemoryMonitor::barrier(unsigned memory_flags) {
  threadgroup_.clock().barrier((memory_flags & METAL_SIM_MEMORY_THREADGROUP) != 0);
  device_.clock().barrier((memory_flags & METAL_SIM_MEMORY_DEVICE) != 0);
}

void MemoryMonitor::simdgroup_barrier(unsigned memory_flags, std::uint32_t simdgroup) {
  if ((memory_flags & METAL_SIM_MEMORY_THREADGROUP) != 0) threadgroup_.clock().simdgroup_barrier(simdgroup);
  if ((memory_flags & METAL_SIM_MEMORY_DEVICE) != 0) device_.clock().simdgroup_barrier(simdgroup);
}

BoundBuffer* MemoryMonitor::find_buffer(std::uintptr_t address) {
  for (BoundBuffer& buffer : buffers_) {
    if (buffer.begin <= address && address < buffer.end) return &buffer;
  }
  return nullptr;
}

const LibraryVariable* MemoryMonitor::find_variable(std::uintptr_t address) const {
  auto next = std::upper_bound(variables_->begin(), variables_->end(), address,
                               [](std::uintptr_t a, const LibraryVariable& v) { return a < v.begin; });
  if (next == variables_->begin()) return nullptr;
  const LibraryVariable& variable = *--next;
  return address - variable.begin < variable.bytes_with_redzone ? &variable : nullptr;
}

void MemoryMonitor::record_threadgroup(const ThreadgroupArray& array, std::uintptr_t address,
                                       std::size_t bytes, bool store, bool atomic, const void* site) {
  std::uint32_t other = 0;
  Finding finding = Finding::kOverrun;
  if (address - array.begin + bytes <= array.bytes) {
    finding = threadgroup_.record(array, address, bytes, access_of_current(store, atomic), other);
  }
  if (finding != Finding::kNone) {
    fail_threadgroup(array, address, bytes, store, finding, other, site);
  }
}

void MemoryMonitor::access_buffer(BoundBuffer& buffer, std::uintptr_t address, std::size_t bytes, bool store,
                                  bool atomic, const void* site) {
  recent_ = &buffer;
  (store ? buffer.bytes_written : buffer.bytes_read) += bytes;
  if (!buffer.writable) return;
  std::uint32_t other = 0;
  if (device_.record(address, bytes, access_of_current(store, atomic), other) != Finding::kNone) {
    fail_race(buffer, address, bytes, store, other, site);
  }
}

template <bool kStore>
void MemoryMonitor::other_access(std::uintptr_t address, std::size_t bytes, const void* site) {
  if (const ThreadgroupArray* array = threadgroup_.find(address)) {
    return record_threadgroup(*array, address, bytes, kStore, false, site);
  }
  if (BoundBuffer* buffer = find_buffer(address);
      buffer != nullptr && bytes <= buffer->end - address && (!kStore || buffer->writable)) {
    return access_buffer(*buffer, address, bytes, kStore, false, site);
  }
  if (!kStore) {  // of a constant table?
    const LibraryVariable* variable = find_variable(address);
    if (variable != nullptr && address + bytes <= variable->begin + variable->bytes) return;
  }
  fail_access(address, bytes, kStore, site);
}

template void MemoryMonitor::other_access<false>(std::uintptr_t, std::size_t, const void*);
template void MemoryMonitor::other_access<true>(std::uintptr_t, std::size_t, const void*);

void MemoryMonitor::atomic(std::uintptr_t address, std::size_t bytes, bool reads, bool writes,
                           const void* site) {
  if (address % bytes != 0) {
    Scheduler::instance().fail(FaultKind::kUndefinedBehaviour,
                               "an atomic operation on an address that is not aligned", site);
  }
  if (!checked_) return;
  if (const ThreadgroupArray* array = threadgroup_.find(address)) {
    if (reads) record_threadgroup(*array, address, bytes, false, true, site);
    if (writes) record_threadgroup(*array, address, bytes, true, true, site);
    return;
  }
  BoundBuffer* buffer = find_buffer(address);
  if (buffer == nullptr || bytes > buffer->end - address || (writes && !buffer->writable)) {
    fail_access(address, bytes, writes, site);
  }
  if (reads) access_buffer(*buffer, address, bytes, false, true, site);
  if (writes) access_buffer(*buffer, address, bytes, true, true, site);
}

int MemoryMonitor::unbound_slot(std::uintptr_t address) const {
  const std::uintptr_t offset = address - unbound_;
  return unbound_ != 0 && offset < kUnboundBytes * kBufferSlots ? static_cast<int>(offset / kUnboundBytes)
                                                                : -1;
}

}  // namespace emberline::metal_sim
