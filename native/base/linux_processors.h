// What a Linux kernel tells of the processors. Compiled for Linux alone.
//
// `sysfs`, `procfs` and `cgroups` are folders laid out as /sys, /proc and /sys/fs/cgroup are. A file that is
// missing, or does not hold what it should, counts as nothing said.
#pragma once

#include <bitset>
#include <string>

namespace emberline {

inline constexpr int kMaxProcessors = 1024;
using ProcessorSet = std::bitset<kMaxProcessors>;

// Cores with a processor in `allowed`, at least 1. Of a machine with two kinds of cores the faster ones are
// counted alone, unless none of them is allowed.
int performance_cores(const std::string& sysfs, const ProcessorSet& allowed);

// Whole processors that the least quota of the process's control groups comes to, 1 to kMaxProcessors;
// kMaxProcessors where there is none.
int quota_processors(const std::string& procfs, const std::string& cgroups);

}  // namespace emberline
