// What is said of an access that a kernel may not make.
#include "kernels/executor/memory_monitor.h"
#include "kernels/executor/scheduler.h"

namespace emberline::metal_sim {
namespace {

std::string bytes_of(std::size_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string buffer_name(std::uint32_t slot) {
  return "buffer(" + std::to_string(slot) + ")";
}

std::string access_of(std::size_t bytes, bool store) {
  return (store ? "store of " : "load of ") + bytes_of(bytes);
}

}  // namespace

void MemoryMonitor::fail_threadgroup(const ThreadgroupArray& array, std::uintptr_t address, std::size_t bytes,
                                     bool store, Finding finding, std::uint32_t other, const void* site) {
  const std::string where = access_of(bytes, store) + " at byte " + std::to_string(address - array.begin) +
                            " of threadgroup memory '" + array.name + "', ";
  Scheduler& scheduler = Scheduler::instance();
  switch (finding) {
    case Finding::kRace:
      scheduler.fail(FaultKind::kRace,
                     where + "not ordered by a barrier with an access by thread " + std::to_string(other),
                     site);
    case Finding::kUninitialised:
      scheduler.fail(FaultKind::kUninitialisedThreadgroup,
                     where + "which no thread of this threadgroup has written", site);
    default:
      scheduler.fail(FaultKind::kThreadgroupOverrun, where + "which has " + std::to_string(array.bytes),
                     site);
  }
}

void MemoryMonitor::fail_race(const BoundBuffer& buffer, std::uintptr_t address, std::size_t bytes,
                              bool store, std::uint32_t other, const void* site) {
  Scheduler::instance().fail(FaultKind::kRace,
                             access_of(bytes, store) + " at byte " + std::to_string(address - buffer.begin) +
                                 " of " + buffer_name(store ? buffer.store_slot : buffer.load_slot) +
                                 ", not ordered by a barrier with an access by " + "thread " +
                                 std::to_string(other) +
                                 " of this threadgroup, or one of another threadgroup",
                             site);
}

void MemoryMonitor::fail_access(std::uintptr_t address, std::size_t bytes, bool store, const void* site) {
  Scheduler& scheduler = Scheduler::instance();
  const std::string what = access_of(bytes, store);
  if (const BoundBuffer* buffer = find_buffer(address)) {
    const std::size_t left = buffer->end - address;
    if (bytes > left) {
      scheduler.fail(
          FaultKind::kOutOfBounds,
          what + " that begins " + bytes_of(left) + " before the end of " + buffer_name(buffer->load_slot),
          site);
    }
    scheduler.fail(FaultKind::kReadOnlyWrite,
                   what + " into " + buffer_name(buffer->load_slot) + ", which the kernel declares const",
                   site);
  }
  if (const LibraryVariable* variable = find_variable(address)) {
    scheduler.fail(FaultKind::kOutOfBounds,
                   what + " at byte " + std::to_string(address - variable->begin) + " of '" + variable->name +
                       "', which is constant and has " + std::to_string(variable->bytes),
                   site);
  }
  if (const int slot = unbound_slot(address); slot >= 0) {
    scheduler.fail(
        FaultKind::kUnboundBuffer,
        what + " through " + buffer_name(static_cast<std::uint32_t>(slot)) + ", which is not bound", site);
  }
  scheduler.fail(FaultKind::kOutOfBounds, what + " " + describe(address), site);
}

std::string MemoryMonitor::describe(std::uintptr_t address) const {
  std::string nearest = "outside every bound buffer";
  std::uintptr_t distance = std::uintptr_t{1} << 30;  // further away than this says nothing
  for (const BoundBuffer& buffer : buffers_) {
    if (address >= buffer.end && address - buffer.end < distance) {
      distance = address - buffer.end;
      nearest = bytes_of(distance) + " past the end of " + buffer_name(buffer.load_slot);
    } else if (address < buffer.begin && buffer.begin - address < distance) {
      distance = buffer.begin - address;
      nearest = bytes_of(distance) + " before the start of " + buffer_name(buffer.load_slot);
    }
  }
  return nearest;
}

}  // namespace emberline::metal_sim
