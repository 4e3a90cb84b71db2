#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "kernels/executor/fault_signals.h"
#include "kernels/executor/memory_monitor.h"
#include "kernels/executor/scheduler.h"
#include "kernels/loaded_library.h"
#include "kernels/simulator.h"

namespace emberline::metal_sim {
namespace {

constexpr std::size_t kRedzoneBytes = 1024;

// An inaccessible region that stands for all buffers that are not bound. Never given back.
std::uintptr_t unbound_region() {
  static const std::uintptr_t region = [] {
    void* mapping = mmap(nullptr, MemoryMonitor::kUnboundBytes * kBufferSlots, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return mapping == MAP_FAILED ? 0 : reinterpret_cast<std::uintptr_t>(mapping);
  }();
  return region;
}

Fault launch_fault(FaultKind kind, const Dispatch& dispatch, const std::string& what) {
  return {kind, what + " (kernel " + dispatch.pipeline.info().name + ").", {}};
}

bool condition_holds(const Pipeline& pipeline, const std::string& condition) {
  if (condition.empty()) return true;
  for (const ConstantInfo& constant : pipeline.library.constants()) {
    if (constant.name != condition) continue;
    for (const ConstantValue& value : pipeline.constants) {
      if (value.index == constant.index) return value.bits != 0;
    }
  }
  return false;
}

std::uint64_t volume(const Size& size) {
  return std::uint64_t{size.width} * size.height * size.depth;
}

std::optional<Fault> check_launch(const Dispatch& dispatch) {
  const KernelInfo& info = dispatch.pipeline.info();
  const std::uint64_t threads = volume(dispatch.threads_per_threadgroup);
  if (threads == 0 || threads > info.max_threads || threads > kMaxThreadsPerThreadgroup) {
    return launch_fault(FaultKind::kLaunch, dispatch,
                        std::to_string(threads) + " threads a threadgroup, where 1 to " +
                            std::to_string(info.max_threads) + " are allowed");
  }
  for (const BufferParameter& buffer : info.buffers) {
    if (dispatch.buffers[buffer.index].data != nullptr ||
        !condition_holds(dispatch.pipeline, buffer.condition))
      continue;
    return launch_fault(
        FaultKind::kUnboundBuffer, dispatch,
        "nothing is bound to '" + buffer.name + "' [[buffer(" + std::to_string(buffer.index) + ")]]");
  }
  std::uint64_t bytes = info.static_threadgroup_bytes;
  for (const std::uint32_t length : dispatch.threadgroup_bytes) {
    if (length % 16 != 0) {
      return launch_fault(
          FaultKind::kLaunch, dispatch,
          "a threadgroup memory length of " + std::to_string(length) + " is no multiple of 16");
    }
    bytes += length;
  }
  for (const ThreadgroupParameter& parameter : info.threadgroup) {
    if (dispatch.threadgroup_bytes[parameter.index] != 0) continue;
    return launch_fault(FaultKind::kLaunch, dispatch,
                        "no length is set for '" + parameter.name + "' [[threadgroup(" +
                            std::to_string(parameter.index) + ")]]");
  }
  if (bytes > kMaxThreadgroupBytes) {
    return launch_fault(FaultKind::kThreadgroupMemory, dispatch,
                        std::to_string(bytes) + " bytes of threadgroup memory, of which there are " +
                            std::to_string(kMaxThreadgroupBytes));
  }
  return std::nullopt;
}

std::vector<BoundBuffer> bind_buffers(const Dispatch& dispatch, metal_sim_bindings& bindings) {
  std::vector<BoundBuffer> bound;
  for (std::uint32_t i = 0; i < kBufferSlots; ++i) {
    const BufferBinding& binding = dispatch.buffers[i];
    const auto address = reinterpret_cast<std::uintptr_t>(binding.data);
    // In the middle of its part of the region, so that negative indices fall into it, too.
    bindings.buffer[i] =
        address != 0 ? address
                     : unbound_region() + MemoryMonitor::kUnboundBytes * i + MemoryMonitor::kUnboundBytes / 2;
    if (address != 0) bound.push_back({address, binding.bytes, address + binding.bytes, i, i, false, 0, 0});
  }
  for (const BufferParameter& parameter : dispatch.pipeline.info().buffers) {
    for (BoundBuffer& buffer : bound) {
      if (buffer.load_slot == parameter.index) buffer.writable = parameter.writable;
    }
  }
  return bound;
}

// The memory behind [[threadgroup(n)]] parameters, apart from one another.
std::vector<ThreadgroupArray> bind_threadgroup_memory(const Dispatch& dispatch,
                                                      metal_sim_bindings& bindings) {
  alignas(64) static char arena[kMaxThreadgroupBytes + kThreadgroupSlots * kRedzoneBytes];
  std::vector<ThreadgroupArray> arrays;
  char* next = arena;
  for (const ThreadgroupParameter& parameter : dispatch.pipeline.info().threadgroup) {
    const std::size_t bytes = dispatch.threadgroup_bytes[parameter.index];
    bindings.threadgroup_memory[parameter.index] = reinterpret_cast<std::uintptr_t>(next);
    arrays.push_back(
        {reinterpret_cast<std::uintptr_t>(next), bytes, bytes + kRedzoneBytes, parameter.name, 0});
    next += bytes + kRedzoneBytes;
  }
  return arrays;
}

void copy(unsigned (&to)[3], const Size& from) {
  to[0] = from.width;
  to[1] = from.height;
  to[2] = from.depth;
}

// How a grid is cut into threadgroups.
struct Grid {
  Size threadgroups, threads_per_threadgroup, threads;

  explicit Grid(const Dispatch& dispatch)
      : threadgroups(dispatch.threadgroups), threads_per_threadgroup(dispatch.threads_per_threadgroup) {
    const Size& size = threads_per_threadgroup;
    threads = dispatch.threads.value_or(Size{
        threadgroups.width * size.width, threadgroups.height * size.height, threadgroups.depth * size.depth});
    threadgroups = {(threads.width + size.width - 1) / size.width,
                    (threads.height + size.height - 1) / size.height,
                    (threads.depth + size.depth - 1) / size.depth};
  }

  // The numbers of every thread of one threadgroup; their count.
  std::uint32_t set_ids(std::uint32_t threadgroup, KernelThread* out) const {
    const Size at = {threadgroup % threadgroups.width, threadgroup / threadgroups.width % threadgroups.height,
                     threadgroup / threadgroups.width / threadgroups.height};
    const Size& full = threads_per_threadgroup;
    const Size size = {std::min(full.width, threads.width - at.width * full.width),
                       std::min(full.height, threads.height - at.height * full.height),
                       std::min(full.depth, threads.depth - at.depth * full.depth)};
    const auto count = static_cast<std::uint32_t>(volume(size));
    for (std::uint32_t i = 0; i < count; ++i) {
      metal_sim_thread& ids = out[i].ids;
      const Size in = {i % size.width, i / size.width % size.height, i / size.width / size.height};
      copy(ids.thread_position_in_threadgroup, in);
      copy(ids.threadgroup_position_in_grid, at);
      copy(ids.thread_position_in_grid,
           {at.width * full.width + in.width, at.height * full.height + in.height,
            at.depth * full.depth + in.depth});
      copy(ids.threads_per_threadgroup, size);
      copy(ids.dispatch_threads_per_threadgroup, full);
      copy(ids.threadgroups_per_grid, threadgroups);
      copy(ids.threads_per_grid, threads);
      ids.thread_index_in_threadgroup = i;
      ids.thread_index_in_simdgroup = i % kSimdWidth;
      ids.simdgroup_index_in_threadgroup = i / kSimdWidth;
      ids.simdgroups_per_threadgroup = (count + kSimdWidth - 1) / kSimdWidth;
      ids.dispatch_simdgroups_per_threadgroup =
          static_cast<std::uint32_t>((volume(full) + kSimdWidth - 1) / kSimdWidth);
    }
    return count;
  }
};

}  // namespace

std::optional<Fault> run(const Dispatch& dispatch, Order order, Counters* counters) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);

  if (auto fault = check_launch(dispatch)) return fault;
  const Grid grid(dispatch);
  LoadedLibrary& library = *dispatch.pipeline.library.loaded();
  library.set_constants(dispatch.pipeline.constants);

  metal_sim_bindings bindings{};
  std::vector<BoundBuffer> buffers = bind_buffers(dispatch, bindings);
  std::vector<ThreadgroupArray> arrays = library.threadgroup_arrays(dispatch.pipeline.kernel);
  for (ThreadgroupArray& array : bind_threadgroup_memory(dispatch, bindings))
    arrays.push_back(std::move(array));

  Scheduler& scheduler = Scheduler::instance();
  const Status ready =
      scheduler.begin_dispatch({dispatch.pipeline.info().name, library.entries[dispatch.pipeline.kernel],
                                &bindings, dispatch.steps_per_thread});
  if (!ready.ok()) return launch_fault(FaultKind::kLaunch, dispatch, ready.message());
  MemoryMonitor& monitor = MemoryMonitor::instance();
  monitor.begin_dispatch(std::move(buffers), &library.variables, unbound_region(), scheduler.stacks().begin(),
                         scheduler.stacks().bytes(), dispatch.pipeline.library.checked());
  monitor.threadgroup().begin_dispatch(std::move(arrays));

  const FaultSignals signals;
  ThreadOrder thread_order(order);
  Counters counted;
  std::optional<Fault> fault;
  for (const std::uint32_t threadgroup :
       thread_order.threadgroups(static_cast<std::uint32_t>(volume(grid.threadgroups)))) {
    const std::uint32_t count = grid.set_ids(threadgroup, scheduler.threads());
    monitor.begin_threadgroup();
    counted.threadgroups += 1;
    counted.threads += count;
    if (scheduler.run_threadgroup(count, thread_order)) continue;
    fault = scheduler.take_fault();
    break;
  }
  counted.barriers = scheduler.barriers;
  counted.simdgroup_operations = scheduler.simdgroup_operations;
  for (const BoundBuffer& buffer : monitor.buffers()) {
    counted.bytes_read[buffer.load_slot] = buffer.bytes_read;
    counted.bytes_written[buffer.store_slot] = buffer.bytes_written;
  }
  if (counters != nullptr) *counters = counted;
  return fault;
}

}  // namespace emberline::metal_sim
