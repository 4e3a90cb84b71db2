// What Apple's compiler would refuse and this one takes: pointers without an address space or into the wrong
// one, and words outside the language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kernels/simulator.h"

namespace emberline::metal_sim {

// One line a finding: "mat_vec.h:57: ...". INVALID_ARGUMENT with diagnostics when the source does not compile
// at all.
Result<std::vector<std::string>> lint(std::string_view source, const std::string& name,
                                      const CompileOptions& options = {});

}  // namespace emberline::metal_sim
