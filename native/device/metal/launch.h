// Which kernel runs a command, and with how many threads.
#pragma once

#include <cstdint>

#include "device/dispatch_table.h"
#include "device/metal/encoded_command.h"
#include "device/metal/kernel_variant.h"
#include "device/metal/row_class.h"

namespace emberline::metal {

struct Launch {
  KernelVariant kernel;
  Grid grid;
  std::uint32_t threads = 0;            // a threadgroup
  bool fewer_threads_do = false;        // any number of whole simdgroups, where registers are short
  std::uint32_t threadgroup_bytes = 0;  // as EncodedCommand
};

struct LaunchOptions {
  RowClass rows = RowClass::kOne;
  bool chained = false;   // the kernels look at the chain's state
  bool indirect = false;  // ending the chain clears its grids
};

// `command` has been checked and lowered (lowering.h).
Launch launch_of(const Command& command, const LaunchOptions& options);

}  // namespace emberline::metal
