// Which kernel runs a command, and with how many threads.
#pragma once

#include <cstdint>

#include "device/device.h"
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

// Whether the products of queries, keys and values have a kernel together, given that there are few rows:
// where they have one type, or values one that files mix with that of queries and keys (weight_formats.h) and
// no threadgroup has rows of both.
bool has_fused_kernel(const NormQkvRopeParams& params);
bool has_fused_kernel(const NormQkvParams& params);

// `command` has been checked and lowered (lowering.h).
Launch launch_of(const Command& command, const LaunchOptions& options);

}  // namespace emberline::metal
