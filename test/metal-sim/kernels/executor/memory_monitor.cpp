#include "kernels/executor/memory_monitor.h"

#include <algorithm>

#include "kernels/executor/scheduler.h"

namespace emberline::metal_sim {
namespace {

std::string bytes_of(std::size_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

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

ThreadgroupMemory::Access access_of(const KernelThread& thread, bool store, bool atomic) {
  return {thread.ids.thread_index_in_threadgroup, thread.ids.simdgroup_index_in_threadgroup, store, atomic};
}

}  // namespace

MemoryMonitor& MemoryMonitor::instance() {
  static MemoryMonitor monitor;
  return monitor;
}

void MemoryMonitor::begin_dispatch(std::vector<BoundBuffer> buffers,
                                   const std::vector<LibraryVariable>* variables, std::uintptr_t unbound,
                                   std::uintptr_t stacks, std::size_t stack_bytes) {
  std::sort(buffers.begin(), buffers.end(),
            [](const BoundBuffer& a, const BoundBuffer& b) { return a.begin < b.begin; });
  buffers_ = separate(buffers);
  std::reverse(buffers_.begin(), buffers_.end());
  recent_ = &none_;
  variables_ = variables;
  unbound_ = unbound;
  stacks_ = stacks;
  stack_bytes_ = stack_bytes;
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

template <bool kStore>
void MemoryMonitor::other_access(std::uintptr_t address, std::size_t bytes, const void* site) {
  Scheduler& scheduler = Scheduler::instance();
  const char* verb = kStore ? "store of " : "load of ";
  if (const ThreadgroupArray* array = threadgroup_.find(address)) {
    const std::size_t offset = address - array->begin;
    if (offset + bytes > array->bytes) {
      scheduler.fail(FaultKind::kThreadgroupOverrun,
                     verb + bytes_of(bytes) + " at byte " + std::to_string(offset) +
                         " of threadgroup memory '" + array->name + "', which has " +
                         std::to_string(array->bytes),
                     site);
    }
    std::uint32_t other = 0;
    switch (
        threadgroup_.record(*array, address, bytes, access_of(scheduler.current(), kStore, false), other)) {
      case ThreadgroupMemory::Finding::kNone: return;
      case ThreadgroupMemory::Finding::kUninitialised:
        scheduler.fail(FaultKind::kUninitialisedThreadgroup,
                       verb + bytes_of(bytes) + " at byte " + std::to_string(offset) +
                           " of threadgroup memory '" + array->name +
                           "', which no thread of this threadgroup has written",
                       site);
      case ThreadgroupMemory::Finding::kRace:
        scheduler.fail(FaultKind::kRace,
                       verb + bytes_of(bytes) + " at byte " + std::to_string(offset) +
                           " of threadgroup memory '" + array->name +
                           "', not ordered by a barrier with thread " + std::to_string(other) + "'s access",
                       site);
    }
  }
  if (BoundBuffer* buffer = find_buffer(address)) {
    const std::size_t left = buffer->end - address;
    if (bytes > left) {
      scheduler.fail(FaultKind::kOutOfBounds,
                     verb + bytes_of(bytes) + " that begins " + bytes_of(left) +
                         " before the end of buffer(" + std::to_string(buffer->load_slot) + ")",
                     site);
    }
    if (kStore && !buffer->writable) {
      scheduler.fail(FaultKind::kReadOnlyWrite,
                     verb + bytes_of(bytes) + " into buffer(" + std::to_string(buffer->load_slot) +
                         "), which the kernel declares const",
                     site);
    }
    recent_ = buffer;
    (kStore ? buffer->bytes_written : buffer->bytes_read) += bytes;
    return;
  }
  if (const LibraryVariable* variable = find_variable(address)) {
    if (address + bytes <= variable->begin + variable->bytes && !kStore) return;  // a constant table
    scheduler.fail(FaultKind::kOutOfBounds,
                   verb + bytes_of(bytes) + " at byte " + std::to_string(address - variable->begin) +
                       " of '" + variable->name + "', which is constant and has " +
                       std::to_string(variable->bytes),
                   site);
  }
  if (const int slot = unbound_slot(address); slot >= 0) {
    scheduler.fail(
        FaultKind::kUnboundBuffer,
        verb + bytes_of(bytes) + " through buffer(" + std::to_string(slot) + "), which is not bound", site);
  }
  scheduler.fail(FaultKind::kOutOfBounds, verb + bytes_of(bytes) + " " + describe(address), site);
}

template void MemoryMonitor::other_access<false>(std::uintptr_t, std::size_t, const void*);
template void MemoryMonitor::other_access<true>(std::uintptr_t, std::size_t, const void*);

void MemoryMonitor::atomic(std::uintptr_t address, std::size_t bytes, bool reads, bool writes,
                           const void* site) {
  Scheduler& scheduler = Scheduler::instance();
  if (address % bytes != 0) {
    scheduler.fail(FaultKind::kUndefinedBehaviour, "an atomic operation on an address that is not aligned",
                   site);
  }
  if (const ThreadgroupArray* array = threadgroup_.find(address);
      array != nullptr && address - array->begin + bytes <= array->bytes) {
    std::uint32_t other = 0;
    ThreadgroupMemory::Finding finding = ThreadgroupMemory::Finding::kNone;
    const KernelThread& thread = scheduler.current();
    if (reads) finding = threadgroup_.record(*array, address, bytes, access_of(thread, false, true), other);
    if (writes && finding == ThreadgroupMemory::Finding::kNone) {
      finding = threadgroup_.record(*array, address, bytes, access_of(thread, true, true), other);
    }
    if (finding == ThreadgroupMemory::Finding::kNone) return;
    const bool race = finding == ThreadgroupMemory::Finding::kRace;
    scheduler.fail(race ? FaultKind::kRace : FaultKind::kUninitialisedThreadgroup,
                   "an atomic operation on threadgroup memory '" + array->name +
                       (race ? "' that another thread accesses without one"
                             : "' that no thread of this threadgroup has written"),
                   site);
  }
  if (reads) access<false>(address, bytes, site);
  if (writes) access<true>(address, bytes, site);
}

int MemoryMonitor::unbound_slot(std::uintptr_t address) const {
  const std::uintptr_t offset = address - unbound_;
  return unbound_ != 0 && offset < kUnboundBytes * kBufferSlots ? static_cast<int>(offset / kUnboundBytes)
                                                                : -1;
}

std::string MemoryMonitor::describe(std::uintptr_t address) const {
  std::string nearest = "outside every bound buffer";
  std::uintptr_t distance = std::uintptr_t{1} << 30;  // further away than this says nothing
  for (const BoundBuffer& buffer : buffers_) {
    const std::uintptr_t end = buffer.end;
    if (address >= end && address - end < distance) {
      distance = address - end;
      nearest = bytes_of(distance) + " past the end of buffer(" + std::to_string(buffer.load_slot) + ")";
    } else if (address < buffer.begin && buffer.begin - address < distance) {
      distance = buffer.begin - address;
      nearest = bytes_of(distance) + " before the start of buffer(" + std::to_string(buffer.load_slot) + ")";
    }
  }
  return nearest;
}

}  // namespace emberline::metal_sim
