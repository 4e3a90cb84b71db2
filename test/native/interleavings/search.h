// Many seeds of one scenario.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "interleavings/course.h"

namespace emberline::testing {

struct Failure {
  std::uint64_t seed;
  std::string what;  // what was printed, and how to see it again
};

struct RunFigures {
  std::uint64_t points = 0, switches = 0, trace_hash = 0;
};

// Runs the scenario under the schedule of a seed, in this process, which a failure ends.
RunFigures run_seed(const Scenario& scenario, std::uint64_t seed, bool traced = false);

// Runs seeds [first, first + count) in a process of their own, up to the first that fails: by its schedule,
// by a sanitizer, a crash, or by a wait that the schedule does not know of. The caller has one thread.
std::optional<Failure> search(const Scenario& scenario, std::uint64_t first, std::uint64_t count);

}  // namespace emberline::testing
