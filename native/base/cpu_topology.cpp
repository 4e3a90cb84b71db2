#include "base/cpu_topology.h"

#include <algorithm>
#include <cstdint>
#include <thread>

#if defined(__linux__)
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
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

constexpr int kMaxProcessors = CPU_SETSIZE;

// The file's first bytes as text, or an empty string when it cannot be read.
struct Text {
  char bytes[128] = {};
};
Text read_text(const char* path) {
  Text text;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  const ssize_t got = read(file, text.bytes, sizeof text.bytes - 1);
  close(file);
  text.bytes[got > 0 ? got : 0] = '\0';
  return text;
}

Text read_processor_text(int processor, const char* name) {
  char path[128];
  std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", processor, name);
  return read_text(path);
}

// A rank that grows with a core's speed: its capacity, else its highest frequency, else 0.
long core_speed(int processor) {
  const long capacity = std::atol(read_processor_text(processor, "cpu_capacity").bytes);
  return capacity > 0 ? capacity
                      : std::atol(read_processor_text(processor, "cpufreq/cpuinfo_max_freq").bytes);
}

// Whole processors that the cgroup's quota allows ("max 100000", "150000 100000"), or kMaxProcessors.
int quota_processors() {
  const Text text = read_text("/sys/fs/cgroup/cpu.max");
  char* end = nullptr;
  const long quota = std::strtol(text.bytes, &end, 10);
  if (end == text.bytes || quota <= 0) return kMaxProcessors;
  const long period = std::strtol(end, nullptr, 10);
  return period > 0 ? static_cast<int>(std::max(1L, quota / period)) : kMaxProcessors;
}

int usable_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return hardware_threads();
  long fastest = 0;
  for (int i = 0; i < kMaxProcessors; ++i) {
    if (CPU_ISSET(i, &allowed)) fastest = std::max(fastest, core_speed(i));
  }
  int cores = 0;
  for (int i = 0; i < kMaxProcessors; ++i) {
    if (!CPU_ISSET(i, &allowed)) continue;
    // The efficiency cores of a hybrid processor reach less than 4/5 of its fastest core; boost bins differ
    // by less.
    if (core_speed(i) * 5 < fastest * 4) continue;
    // The siblings of a core are listed as "0,4" or "0-1"; the first one that we may use stands for the core.
    const Text siblings = read_processor_text(i, "topology/thread_siblings_list");
    bool counted = false;
    const char* at = siblings.bytes;
    while (!counted && *at >= '0' && *at <= '9') {
      char* end = nullptr;
      const long first = std::strtol(at, &end, 10);
      const long last = *end == '-' ? std::strtol(end + 1, &end, 10) : first;
      for (long sibling = first; sibling <= last && sibling < i; ++sibling)
        counted = counted || CPU_ISSET(sibling, &allowed);
      at = *end == ',' ? end + 1 : end;
    }
    if (!counted) ++cores;
  }
  return std::min(std::max(cores, 1), quota_processors());
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
