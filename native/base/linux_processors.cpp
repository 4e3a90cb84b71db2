#include "base/linux_processors.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/kernel_texts.h"
#include "base/linux_groups.h"

namespace emberline {
namespace {

bool take(std::string_view& text, char expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(1);
  return true;
}

// Such as "0-3,8"; none when anything is wrong.
ProcessorSet read_processors(const std::string& path) {
  const std::string text = read_kernel_text(path);
  std::string_view rest = text;
  ProcessorSet processors;
  do {
    const std::optional<long> first = take_number(rest);
    const std::optional<long> last = take(rest, '-') ? take_number(rest) : first;
    if (!first || !last || *first > *last || *last >= kMaxProcessors) return {};
    for (long i = *first; i <= *last; ++i) processors.set(static_cast<std::size_t>(i));
  } while (take(rest, ','));
  return rest.empty() ? processors : ProcessorSet();
}

std::string processor_file(const std::string& sysfs, std::size_t processor, const char* name) {
  return sysfs + "/devices/system/cpu/cpu" + std::to_string(processor) + "/" + name;
}

// A number above 0 for each of `processors`; none where one of them has no such file.
std::optional<std::array<long, kMaxProcessors>> read_numbers(const std::string& sysfs,
                                                             const ProcessorSet& processors,
                                                             const char* name) {
  std::array<long, kMaxProcessors> numbers{};
  for (std::size_t i = 0; i < processors.size(); ++i) {
    if (!processors[i]) continue;
    const std::string text = read_kernel_text(processor_file(sysfs, i, name));
    std::string_view rest = text;
    const std::optional<long> number = take_number(rest);
    if (!number || *number == 0 || !rest.empty()) return std::nullopt;
    numbers[i] = *number;
  }
  return numbers;
}

// Those within 4/5 of the fastest one's capacity, or of its highest frequency: efficiency cores stay below
// it, and boost bins of one kind of core above.
ProcessorSet near_the_fastest(const std::string& sysfs, const ProcessorSet& processors) {
  auto speeds = read_numbers(sysfs, processors, "cpu_capacity");
  if (!speeds) speeds = read_numbers(sysfs, processors, "cpufreq/cpuinfo_max_freq");
  if (!speeds) return processors;
  const long fastest = *std::max_element(speeds->begin(), speeds->end());
  ProcessorSet near;
  for (std::size_t i = 0; i < processors.size(); ++i) {
    near[i] = processors[i] && (*speeds)[i] >= fastest - fastest / 5;
  }
  return near;
}

// Intel's hybrid processors are named by kind. Frequencies would not do: the efficiency cores of some reach
// more than 4/5 of that of the performance cores.
ProcessorSet performance_processors(const std::string& sysfs, const ProcessorSet& allowed) {
  const ProcessorSet named = read_processors(sysfs + "/devices/cpu_core/cpus") & allowed;
  return named.any() ? named : near_the_fastest(sysfs, allowed);
}

int quota_of(const ControlGroup& group) {
  // "150000 100000": microseconds of processor time, in so many of the clock. "max 100000", or "-1" in a file
  // of its own: no quota.
  const std::string text = group.version == 2 ? read_kernel_text(group.folder + "/cpu.max")
                                              : read_kernel_text(group.folder + "/cpu.cfs_quota_us") + " " +
                                                    read_kernel_text(group.folder + "/cpu.cfs_period_us");
  std::string_view rest = text;
  const std::optional<long> quota = take_number(rest);
  if (!quota || *quota == 0 || !take(rest, ' ')) return kMaxProcessors;
  const std::optional<long> period = take_number(rest);
  if (!period || *period == 0 || !rest.empty()) return kMaxProcessors;
  return static_cast<int>(std::clamp<long>(*quota / *period, 1, kMaxProcessors));
}

}  // namespace

int performance_cores(const std::string& sysfs, const ProcessorSet& allowed) {
  const ProcessorSet processors = performance_processors(sysfs, allowed);
  ProcessorSet counted;  // with their siblings on the same core
  int cores = 0;
  for (std::size_t i = 0; i < processors.size(); ++i) {
    if (!processors[i] || counted[i]) continue;
    counted |= read_processors(processor_file(sysfs, i, "topology/thread_siblings_list"));
    ++cores;
  }
  return std::max(cores, 1);
}

int quota_processors(const std::string& procfs, const std::string& cgroups) {
  int least = kMaxProcessors;
  for (const ControlGroup& group : control_groups(procfs, cgroups, "cpu"))
    least = std::min(least, quota_of(group));
  return least;
}

}  // namespace emberline
