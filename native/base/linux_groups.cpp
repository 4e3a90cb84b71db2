#include "base/linux_groups.h"

#include <algorithm>

#include "base/kernel_texts.h"

namespace emberline {

std::vector<ControlGroup> control_groups(const std::string& procfs, const std::string& cgroups,
                                         std::string_view controller) {
  std::vector<ControlGroup> groups;
  const std::string named(controller);
  // "0::/path" of version 2, "7:memory:/path" of version 1.
  for_each_line(read_kernel_text(procfs + "/self/cgroup"), [&](std::string_view line) {
    const std::size_t first = std::min(line.find(':'), line.size());
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) return;
    std::string controllers(line.substr(first, second + 1 - first));
    const int version = controllers == "::" ? 2 : 1;
    std::ranges::replace(controllers, ':', ',');
    if (version == 1 && controllers.find("," + named + ",") == std::string::npos) return;
    const std::string root = version == 2 ? cgroups : cgroups + "/" + named;
    std::string_view path = line.substr(second + 1);
    for (;;) {
      while (path.ends_with('/')) path.remove_suffix(1);
      groups.push_back({version, root + std::string(path)});
      if (path.empty()) return;
      path = path.substr(0, path.rfind('/') + 1);
    }
  });
  return groups;
}

}  // namespace emberline
