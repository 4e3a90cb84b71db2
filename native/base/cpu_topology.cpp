#include "base/cpu_topology.h"

#include <algorithm>
#include <cstdint>
#include <thread>

#if defined(__linux__)
#include <sched.h>

#include "base/linux_processors.h"
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#elif defined(_WIN32)
#include <windows.h>

#include <cstddef>
#include <vector>
#endif

namespace emberline {
namespace {

int hardware_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

#if defined(__linux__)

int usable_cores() {
  static_assert(kMaxProcessors == CPU_SETSIZE);
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return hardware_threads();
  ProcessorSet allowed;
  for (std::size_t i = 0; i < allowed.size(); ++i) allowed[i] = CPU_ISSET(i, &mask);
  return std::min(performance_cores("/sys", allowed), quota_processors("/proc", "/sys/fs/cgroup"));
}

#elif defined(__APPLE__)

int usable_cores() {
  for (const char* name : {"hw.perflevel0.physicalcpu", "hw.physicalcpu"}) {
    std::int32_t cores = 0;
    std::size_t bytes = sizeof cores;
    if (sysctlbyname(name, &cores, &bytes, nullptr, 0) == 0 && cores > 0) return cores;
  }
  return hardware_threads();
}

#elif defined(_WIN32)

// The byte after Flags, by its place: older headers call it reserved.
int efficiency_class(const PROCESSOR_RELATIONSHIP& core) {
  return reinterpret_cast<const BYTE*>(&core)[offsetof(PROCESSOR_RELATIONSHIP, Flags) + 1];
}

int usable_cores() {
  DWORD bytes = 0;
  GetLogicalProcessorInformationEx(RelationProcessorCore, nullptr, &bytes);
  std::vector<unsigned char> memory(bytes);
  auto record_at = [&](DWORD offset) {
    return reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(memory.data() + offset);
  };
  if (bytes == 0 || !GetLogicalProcessorInformationEx(RelationProcessorCore, record_at(0), &bytes)) {
    return hardware_threads();
  }
  DWORD_PTR allowed = 0, machine = 0;
  if (!GetProcessAffinityMask(GetCurrentProcess(), &allowed, &machine)) allowed = ~DWORD_PTR{0};
  int fastest = 0, cores = 0;
  for (DWORD offset = 0; offset < bytes; offset += record_at(offset)->Size) {
    const PROCESSOR_RELATIONSHIP& core = record_at(offset)->Processor;
    // The mask covers this process's first processor group only; cores of other groups count as usable.
    if (core.GroupMask[0].Group == 0 && (core.GroupMask[0].Mask & allowed) == 0) continue;
    if (efficiency_class(core) > fastest) {
      fastest = efficiency_class(core);
      cores = 0;
    }
    if (efficiency_class(core) == fastest) ++cores;
  }
  return std::max(cores, 1);
}

#else

int usable_cores() {
  return hardware_threads();
}

#endif

}  // namespace

int recommended_threads() {
  static const int threads = std::clamp(usable_cores(), 1, kMaxRecommendedThreads);
  return threads;
}

}  // namespace emberline
