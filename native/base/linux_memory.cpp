#include "base/linux_memory.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/kernel_texts.h"

namespace emberline {
namespace {

// Calls visit(line) for each line of `text`.
template <typename Visit>
void for_each_line(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

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
std::optional<std::uint64_t> left_in(const std::string& group, const GroupFiles& files) {
  const std::optional<std::uint64_t> limit = number_in(group + files.limit);
  const std::optional<std::uint64_t> used = number_in(group + files.used);
  if (!limit || !used) return std::nullopt;
  const std::string statistics = read_kernel_text(group + "/memory.stat");
  // Pages of files are given up where a group meets its limit.
  const std::uint64_t given_up = number_behind(statistics, files.active_files).value_or(0) +
                                 number_behind(statistics, files.inactive_files).value_or(0);
  const std::uint64_t taken = *used - std::min(*used, given_up);
  return *limit - std::min(*limit, taken);
}

// The least that the limits of a group and of those around it leave. In a container the path may be one of
// the host, which is not there, and the root is the container's group: each place is tried.
std::uint64_t left_around(const std::string& root, std::string_view group, const GroupFiles& files) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (;;) {
    while (group.ends_with('/')) group.remove_suffix(1);
    const std::optional<std::uint64_t> left = left_in(root + std::string(group), files);
    least = std::min(least, left.value_or(least));
    if (group.empty()) return least;
    group = group.substr(0, group.rfind('/') + 1);
  }
}

}  // namespace

std::optional<std::uint64_t> linux_available_memory(const std::string& procfs, const std::string& cgroups) {
  const std::optional<std::uint64_t> kilobytes =
      number_behind(read_kernel_text(procfs + "/meminfo"), "MemAvailable:");
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t least = kilobytes ? *kilobytes * 1024 : kMost;
  // "0::/path" of version 2, "7:memory:/path" of version 1.
  for_each_line(read_kernel_text(procfs + "/self/cgroup"), [&](std::string_view line) {
    const std::size_t first = std::min(line.find(':'), line.size());
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) return;
    const std::string_view path = line.substr(second + 1);
    const std::string controllers = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    if (controllers == ",,") least = std::min(least, left_around(cgroups, path, kVersion2));
    if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, left_around(cgroups + "/memory", path, kVersion1));
  });
  if (least == kMost) return std::nullopt;
  return least;
}

}  // namespace emberline
