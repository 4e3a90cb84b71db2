#include "kernels/executor/locate.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "kernels/process.h"

namespace emberline::metal_sim {

std::string locate(const void* code) {
  Dl_info info;
  if (code == nullptr || dladdr(code, &info) == 0 || info.dli_fname == nullptr) return {};
  // The address of a call is one that it returns to: the line is that of the byte before.
  const std::uintptr_t offset =
      reinterpret_cast<std::uintptr_t>(code) - 1 - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  char address[32];
  std::snprintf(address, sizeof address, "0x%zx", static_cast<std::size_t>(offset));
  std::string place = run_process({"addr2line", "-s", "-e", info.dli_fname, address}).output;
  place.resize(std::min(place.find_first_of(" \n"), place.size()));
  return place.starts_with("??") ? std::string() : place;
}

}  // namespace emberline::metal_sim
