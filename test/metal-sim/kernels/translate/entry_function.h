// The function through which the simulator calls a kernel: it turns bindings and thread numbers into the
// kernel's arguments.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "kernels/translate/declarations.h"

namespace emberline::metal_sim {

struct EntryFunction {
  std::string text;
  KernelInfo info;
};

// INVALID_ARGUMENT, with a place, for a parameter that no attribute explains.
Result<EntryFunction> make_entry_function(std::string_view source, const Kernel& kernel);

}  // namespace emberline::metal_sim
