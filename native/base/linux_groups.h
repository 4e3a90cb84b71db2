// The control groups that a process is in, as a Linux kernel tells. Compiled for Linux alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace emberline {

struct ControlGroup {
  int version = 2;     // 1 or 2: what its files are called
  std::string folder;  // where they are; it may not be there
};

// Of the process the group that has `controller` ("memory", say), and those around it: the limits of each of
// them hold. `procfs` and `cgroups` are laid out as /proc and /sys/fs/cgroup are. In a container the group
// may be named as on the host, where it is not found, and the root is the container's: it comes last.
std::vector<ControlGroup> control_groups(const std::string& procfs, const std::string& cgroups,
                                         std::string_view controller);

}  // namespace emberline
