// What a Linux kernel tells of the memory that a process may still take. Compiled for Linux alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace emberline {

// available_memory() of a kernel whose procfs and control groups (version 1 or 2) are laid out in these
// folders as /proc and /sys/fs/cgroup are. A file that is missing, or does not hold what it should, counts
// as nothing said.
std::optional<std::uint64_t> linux_available_memory(const std::string& procfs, const std::string& cgroups);

}  // namespace emberline
