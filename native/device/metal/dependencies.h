// Which commands have to wait for those before them.
#pragma once

#include <vector>

#include "device/checks/command_check.h"

namespace emberline::metal {

// Follows the commands of a table in order. Between two barriers a GPU may run commands in any order and at
// once.
class Dependencies {
 public:
  // Whether a barrier is needed before a command with these accesses: it reads what is written, or writes
  // what is read or written, since the last barrier. Counts it as encoded, behind the barrier where there is
  // one.
  bool needs_barrier(const std::vector<MemoryAccess>& accesses);

 private:
  bool conflicts(const MemoryAccess& access) const;

  std::vector<MemoryAccess> since_barrier_;
};

}  // namespace emberline::metal
