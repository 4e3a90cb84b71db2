#include "device/metal/dependencies.h"

#include <algorithm>

namespace emberline::metal {

bool Dependencies::conflicts(const MemoryAccess& access) const {
  return std::any_of(since_barrier_.begin(), since_barrier_.end(), [&](const MemoryAccess& before) {
    return (before.writes || access.writes) && before.buffer == access.buffer && before.begin < access.end &&
           access.begin < before.end;
  });
}

bool Dependencies::needs_barrier(const std::vector<MemoryAccess>& accesses) {
  const bool needed = std::any_of(accesses.begin(), accesses.end(),
                                  [&](const MemoryAccess& access) { return conflicts(access); });
  if (needed) since_barrier_.clear();
  since_barrier_.insert(since_barrier_.end(), accesses.begin(), accesses.end());
  return needed;
}

}  // namespace emberline::metal
