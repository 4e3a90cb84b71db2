#include "kernels/executor/locate.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>

namespace emberline::metal_sim {

std::string locate(const void* code) {
  Dl_info info;
  if (code == nullptr || dladdr(code, &info) == 0 || info.dli_fname == nullptr) return {};
  // The address of a call is one that it returns to: the line is that of the byte before.
  const std::uintptr_t offset =
      reinterpret_cast<std::uintptr_t>(code) - 1 - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  char command[1024];
  std::snprintf(command, sizeof command,
                "%s --obj='%s' --functions=none --basenames --output-style=GNU 0x%zx 2>/dev/null",
                METAL_SIM_SYMBOLIZER, info.dli_fname, offset);
  std::FILE* pipe = popen(command, "r");
  if (pipe == nullptr) return {};
  char line[512] = {};
  std::string place;
  if (std::fgets(line, sizeof line, pipe) != nullptr) place = line;
  pclose(pipe);
  while (!place.empty() && (place.back() == '\n' || place.back() == ' ')) place.pop_back();
  return place.starts_with("??") ? std::string() : place;
}

}  // namespace emberline::metal_sim
