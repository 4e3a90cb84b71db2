// What opening a compiled library leaves behind. The calls themselves are declared in metal_sim/abi.h.
#pragma once

#include <vector>

#include "kernels/executor/memory_monitor.h"
#include "kernels/shim/metal_sim/abi.h"

// Visible to the libraries that are opened at run time.
#define METAL_SIM_CALL __attribute__((visibility("default")))

namespace emberline::metal_sim {

// The variables of the library that was opened last, which its constructors have told us about.
std::vector<LibraryVariable> take_registered_variables();

}  // namespace emberline::metal_sim
