// Runs another program and waits for it.
#pragma once

#include <string>
#include <vector>

namespace emberline::metal_sim {

struct ProcessResult {
  int status = -1;     // exit status; -1: it could not be started, or a signal ended it
  std::string output;  // both streams, as they came
};

// `arguments[0]` is searched for in PATH. Nothing goes through a shell.
ProcessResult run_process(const std::vector<std::string>& arguments);

}  // namespace emberline::metal_sim
