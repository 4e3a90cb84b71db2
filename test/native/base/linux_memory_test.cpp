#if defined(__linux__)
#include "base/linux_memory.h"

#include <gtest/gtest.h>

#include <string>

#include "base/available_memory.h"
#include "base/kernel_tree.h"

namespace emberline {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// With a procfs and control groups.
class LinuxMemory : public testing::KernelTree {
 protected:
  void write_group(const std::string& group, std::uint64_t limit, std::uint64_t used) {
    write("cgroup" + group + "/memory.max", std::to_string(limit * kMiB));
    write("cgroup" + group + "/memory.current", std::to_string(used * kMiB));
  }
  std::optional<std::uint64_t> available() const {
    return linux_available_memory(root() + "/proc", root() + "/cgroup");
  }
};

TEST_F(LinuxMemory, IsWhatTheKernelCallsAvailable) {
  EXPECT_EQ(available(), std::nullopt);
  write("proc/meminfo", "MemTotal:       16384000 kB\nMemFree:          100000 kB\nMemAvailable:    8192 kB");
  EXPECT_EQ(available(), 8 * kMiB);
  write("proc/meminfo", "MemTotal:       16384000 kB\nMemAvailable:    much");
  EXPECT_EQ(available(), std::nullopt);
}

TEST_F(LinuxMemory, IsLimitedByTheGroupAndThoseAroundIt) {
  write("proc/meminfo", "MemAvailable:    8388608 kB");
  write("proc/self/cgroup", "0::/user.slice/editor.scope");
  EXPECT_EQ(available(), 8192 * kMiB);
  write_group("/user.slice/editor.scope", 4096, 1024);
  EXPECT_EQ(available(), 3072 * kMiB);
  write_group("/user.slice", 2048, 1536);
  EXPECT_EQ(available(), 512 * kMiB);
  write("cgroup/user.slice/memory.max", "max");
  EXPECT_EQ(available(), 3072 * kMiB);
  // Taken beyond its limit, as after the limit was lowered.
  write_group("/user.slice/editor.scope", 1024, 4096);
  EXPECT_EQ(available(), 0u);
}

TEST_F(LinuxMemory, OfAContainerIsLimitedByItsRoot) {
  write("proc/meminfo", "MemAvailable:    8388608 kB");
  write("proc/self/cgroup", "0::/docker/0123456789abcdef");
  write_group("", 1024, 256);
  EXPECT_EQ(available(), 768 * kMiB);
}

TEST_F(LinuxMemory, CountsPagesOfFilesAsAvailable) {
  write("proc/meminfo", "MemAvailable:    8388608 kB");
  write("proc/self/cgroup", "0::/");
  write_group("", 1024, 1000);
  write("cgroup/memory.stat", "anon 1\nfile 900000000\nactive_file 104857600\ninactive_file 209715200");
  EXPECT_EQ(available(), 324 * kMiB);
}

TEST_F(LinuxMemory, IsLimitedByGroupsOfVersionOne) {
  write("proc/meminfo", "MemAvailable:    8388608 kB");
  write("proc/self/cgroup", "12:cpu,cpuacct:/jobs\n7:hugetlb,memory:/jobs/one\n0::/");
  write("cgroup/memory/jobs/one/memory.limit_in_bytes", std::to_string(512 * kMiB));
  write("cgroup/memory/jobs/one/memory.usage_in_bytes", std::to_string(128 * kMiB));
  write("cgroup/memory/jobs/one/memory.stat", "inactive_file 1\ntotal_inactive_file 67108864");
  // What stands for no limit.
  write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  write("cgroup/memory/memory.usage_in_bytes", "1000000");
  EXPECT_EQ(available(), 448 * kMiB);
}

TEST_F(LinuxMemory, IsKnownOfThisMachine) {
  const std::optional<std::uint64_t> known = available_memory();
  ASSERT_TRUE(known.has_value());
  EXPECT_GT(*known, kMiB);
}

}  // namespace
}  // namespace emberline
#endif
