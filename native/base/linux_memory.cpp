#include "base/linux_memory.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/kernel_texts.h"
#include "base/linux_groups.h"

namespace emberline {
namespace {

// The number behind `name` and blanks at the front of a line of `text`.
std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view name) {
  std::optional<std::uint64_t> found;
  for_each_line(text, [&](std::string_view line) {
    if (found || !line.starts_with(name)) return;
    line.remove_prefix(name.size());
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (const std::optional<long> number = take_number(line)) found = static_cast<std::uint64_t>(*number);
  });
  return found;
}

std::optional<std::uint64_t> number_in(const std::string& path) {
  const std::string text = read_kernel_text(path);
  std::string_view rest = text;
  const std::optional<long> number = take_number(rest);
  if (!number || !rest.empty()) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

// The names of a version's files, and of what files take in its statistics.
struct GroupFiles {
  const char *limit, *used, *active_files, *inactive_files;
};
constexpr GroupFiles kVersion1 = {"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_active_file ",
                                  "total_inactive_file "};
constexpr GroupFiles kVersion2 = {"/memory.max", "/memory.current", "active_file ", "inactive_file "};

// What a group's limit leaves; none where it has no limit.
std::optional<std::uint64_t> left_in(const ControlGroup& group) {
  const GroupFiles& files = group.version == 1 ? kVersion1 : kVersion2;
  const std::optional<std::uint64_t> limit = number_in(group.folder + files.limit);
  const std::optional<std::uint64_t> used = number_in(group.folder + files.used);
  if (!limit || !used) return std::nullopt;
  const std::string statistics = read_kernel_text(group.folder + "/memory.stat");
  // Pages of files are given up where a group meets its limit.
  const std::uint64_t given_up = number_behind(statistics, files.active_files).value_or(0) +
                                 number_behind(statistics, files.inactive_files).value_or(0);
  const std::uint64_t taken = *used - std::min(*used, given_up);
  return *limit - std::min(*limit, taken);
}

}  // namespace

std::optional<std::uint64_t> linux_available_memory(const std::string& procfs, const std::string& cgroups) {
  const std::optional<std::uint64_t> kilobytes =
      number_behind(read_kernel_text(procfs + "/meminfo"), "MemAvailable:");
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t least = kilobytes ? *kilobytes * 1024 : kMost;
  for (const ControlGroup& group : control_groups(procfs, cgroups, "memory"))
    least = std::min(least, left_in(group).value_or(least));
  if (least == kMost) return std::nullopt;
  return least;
}

}  // namespace emberline
