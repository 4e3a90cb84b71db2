#if defined(__linux__)
#include "base/linux_processors.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "base/kernel_tree.h"

namespace emberline {
namespace {

// What no processor list is, with and without a beginning that would pass for one.
constexpr const char* kNoLists[] = {"",     "\n",   "cores", "0-",   "-3",     "7-0",
                                    "0,,1", "0-3,", "0 1",   "0-3x", "0-1024", "0-99999999999999999999"};

class LinuxProcessors : public testing::KernelTree {
 protected:
  void write_of(int processor, const std::string& name, const std::string& text) {
    write("devices/system/cpu/cpu" + std::to_string(processor) + "/" + name, text);
  }
  void write_for_range(int first, int last, const std::string& name, const std::string& text) {
    for (int i = first; i <= last; ++i) write_of(i, name, text);
  }

  // Four performance cores of two threads, 0 to 7, and eight efficiency cores, 8 to 15, which reach 81 % of
  // their frequency.
  void write_hybrid() {
    write("devices/cpu_core/cpus", "0-7");
    write("devices/cpu_atom/cpus", "8-15");
    write_for_range(0, 7, "cpufreq/cpuinfo_max_freq", "5700000");
    write_for_range(8, 15, "cpufreq/cpuinfo_max_freq", "4600000");
    for (int i = 0; i < 8; ++i) {
      const int first = i / 2 * 2;
      write_of(i, "topology/thread_siblings_list", std::to_string(first) + "-" + std::to_string(first + 1));
    }
    for (int i = 8; i < 16; ++i) write_of(i, "topology/thread_siblings_list", std::to_string(i));
  }

  int cores_of(std::initializer_list<std::size_t> allowed) const {
    ProcessorSet set;
    for (const std::size_t processor : allowed) set.set(processor);
    return performance_cores(root(), set);
  }
  int cores_of_first(std::size_t count) const {
    ProcessorSet set;
    for (std::size_t i = 0; i < count; ++i) set.set(i);
    return performance_cores(root(), set);
  }
  int quota() const { return quota_processors(root() + "/proc", root() + "/fs/cgroup"); }
};

TEST_F(LinuxProcessors, PerformanceCoresOfAHybridAreThoseTheKernelNames) {
  write_hybrid();
  EXPECT_EQ(cores_of_first(16), 4);
}

TEST_F(LinuxProcessors, FrequenciesDecideWhereTheKernelNamesNone) {
  write_hybrid();
  remove("devices/cpu_core/cpus");
  EXPECT_EQ(cores_of_first(16), 12);
  write_for_range(8, 15, "cpufreq/cpuinfo_max_freq", "4500000");
  EXPECT_EQ(cores_of_first(16), 4);
}

TEST_F(LinuxProcessors, OnlyAllowedProcessorsCount) {
  write_hybrid();
  EXPECT_EQ(cores_of({0}), 1);
  EXPECT_EQ(cores_of({1, 3}), 2) << "the second threads of two cores";
  EXPECT_EQ(cores_of({1, 2, 3}), 2) << "one core and half of another";
  EXPECT_EQ(cores_of({1, 8, 9}), 1) << "a performance core and two efficiency cores";
  EXPECT_EQ(cores_of({8, 9, 10, 11}), 4) << "efficiency cores alone";
  EXPECT_EQ(cores_of({}), 1);
}

TEST_F(LinuxProcessors, BigCoresAreThoseOfTheHighestCapacity) {
  write_for_range(0, 3, "cpu_capacity", "446");
  write_for_range(4, 7, "cpu_capacity", "1024");
  write_for_range(0, 7, "cpufreq/cpuinfo_max_freq", "2000000");
  EXPECT_EQ(cores_of_first(8), 4);
  EXPECT_EQ(cores_of({0, 1, 2, 3, 4}), 1);
  EXPECT_EQ(cores_of({0, 1, 2, 3}), 4) << "little cores alone";
}

TEST_F(LinuxProcessors, BigCoresAreThoseOfTheHighestFrequency) {
  write_for_range(0, 3, "cpufreq/cpuinfo_max_freq", "1800000");
  write_for_range(4, 5, "cpufreq/cpuinfo_max_freq", "2400000");
  EXPECT_EQ(cores_of_first(6), 2);
}

// A capacity is far below a frequency in kHz, so that the two must never meet.
TEST_F(LinuxProcessors, CapacitiesCountOnlyWhereAllProcessorsHaveOne) {
  write_for_range(0, 3, "cpufreq/cpuinfo_max_freq", "1800000");
  write_for_range(4, 5, "cpufreq/cpuinfo_max_freq", "2400000");
  write_for_range(0, 4, "cpu_capacity", "1024");
  for (const char* text : {"", "fast", "0", "-1024", "1024 MHz", "99999999999999999999"}) {
    write_of(5, "cpu_capacity", text);
    EXPECT_EQ(cores_of_first(6), 2) << text;
  }
  write_of(5, "cpufreq/cpuinfo_max_freq", "unknown");
  EXPECT_EQ(cores_of_first(6), 6);
}

TEST_F(LinuxProcessors, EqualCoresAllCountOnce) {
  for (int i = 0; i < 8; ++i) {
    write_of(i, "topology/thread_siblings_list", std::to_string(i % 4) + "," + std::to_string(i % 4 + 4));
  }
  EXPECT_EQ(cores_of_first(8), 4);
  write_for_range(0, 7, "cpufreq/cpuinfo_max_freq", "5000000");
  EXPECT_EQ(cores_of_first(8), 4);
  write_of(2, "cpufreq/cpuinfo_max_freq", "5500000");
  write_of(6, "cpufreq/cpuinfo_max_freq", "5500000");
  EXPECT_EQ(cores_of_first(8), 4) << "a boost bin";
}

TEST_F(LinuxProcessors, AnEmptyTreeMakesEveryProcessorACore) {
  EXPECT_EQ(cores_of_first(6), 6);
  EXPECT_EQ(cores_of_first(kMaxProcessors), kMaxProcessors);
  EXPECT_EQ(performance_cores("/nonexistent", ProcessorSet("111")), 3);
}

TEST_F(LinuxProcessors, AMalformedListCountsAsNone) {
  write_hybrid();
  for (const char* text : kNoLists) {
    write("devices/cpu_core/cpus", text);
    EXPECT_EQ(cores_of_first(16), 12) << text;
  }
  write("devices/cpu_core/cpus", "0-7");
  for (const char* text : kNoLists) {
    write_for_range(0, 1, "topology/thread_siblings_list", text);
    EXPECT_EQ(cores_of_first(16), 5) << text;
  }
}

TEST_F(LinuxProcessors, AQuotaComesToWholeProcessors) {
  write("proc/self/cgroup", "0::/");
  EXPECT_EQ(quota(), kMaxProcessors) << "no file";
  const auto quota_of = [&](const char* text) {
    write("fs/cgroup/cpu.max", text);
    return quota();
  };
  EXPECT_EQ(quota_of("400000 100000"), 4);
  EXPECT_EQ(quota_of("399999 100000"), 3);
  EXPECT_EQ(quota_of("50000 100000"), 1);
  EXPECT_EQ(quota_of("9223372036854775807 1"), kMaxProcessors);
  for (const char* text : {"max 100000", "", "200000", "200000 ", "200000 0", "0 100000", "-200000 100000",
                           "200000 -100000", "200000 100000 x", "200000,100000"}) {
    EXPECT_EQ(quota_of(text), kMaxProcessors) << text;
  }
}

TEST_F(LinuxProcessors, TheLeastQuotaOfTheGroupAndThoseAroundItHolds) {
  write("fs/cgroup/user.slice/editor.scope/cpu.max", "400000 100000");
  EXPECT_EQ(quota(), kMaxProcessors) << "of which group the process is, is not known";
  write("proc/self/cgroup", "0::/user.slice/editor.scope");
  EXPECT_EQ(quota(), 4);
  write("fs/cgroup/user.slice/cpu.max", "200000 100000");
  EXPECT_EQ(quota(), 2);
  write("fs/cgroup/cpu.max", "100000 100000");
  EXPECT_EQ(quota(), 1) << "a container's";
}

TEST_F(LinuxProcessors, AQuotaOfVersionOneStandsInTwoFiles) {
  write("proc/self/cgroup", "3:cpuset:/\n2:cpu,cpuacct:/jobs/one\n0::/");
  write("fs/cgroup/cpu/jobs/one/cpu.cfs_quota_us", "300000");
  EXPECT_EQ(quota(), kMaxProcessors) << "no period";
  write("fs/cgroup/cpu/jobs/one/cpu.cfs_period_us", "100000");
  EXPECT_EQ(quota(), 3);
  write("fs/cgroup/cpu/jobs/one/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(quota(), kMaxProcessors);
}

}  // namespace
}  // namespace emberline
#endif
