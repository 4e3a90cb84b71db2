#include "base/available_memory.h"

#if defined(__linux__)
#include "base/linux_memory.h"
#elif defined(__APPLE__)
#include <mach/mach.h>
#elif defined(_WIN32)
#include <windows.h>

#include <algorithm>
#endif

namespace emberline {

#if defined(__linux__)

std::optional<std::uint64_t> available_memory() {
  return linux_available_memory("/proc", "/sys/fs/cgroup");
}

#elif defined(__APPLE__)

std::optional<std::uint64_t> available_memory() {
  const mach_port_t host = mach_host_self();
  vm_size_t page_bytes = 0;
  vm_statistics64_data_t pages{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  const bool known = host_page_size(host, &page_bytes) == KERN_SUCCESS &&
                     host_statistics64(host, HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages),
                                       &count) == KERN_SUCCESS;
  mach_port_deallocate(mach_task_self(), host);
  if (!known) return std::nullopt;
  // All but what is wired, compressed or a program's own: what Activity Monitor does not call used.
  const std::uint64_t available =
      std::uint64_t{pages.free_count} + pages.external_page_count + pages.purgeable_count;
  return available * page_bytes;
}

#elif defined(_WIN32)

std::optional<std::uint64_t> available_memory() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  if (GlobalMemoryStatusEx(&status) == 0) return std::nullopt;
  // A program's own memory has to have a place in a page file, too, whether it is ever put there or not.
  return std::min<std::uint64_t>(status.ullAvailPhys, status.ullAvailPageFile);
}

#else

std::optional<std::uint64_t> available_memory() {
  return std::nullopt;
}

#endif

}  // namespace emberline
