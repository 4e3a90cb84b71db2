// What is run under schedules: of the engine as it is, and, to see that such faults are found, of broken
// copies of its files (mutants.cmake).
#pragma once

#include <span>
#include <string_view>

#include "interleavings/course.h"

namespace emberline::testing {

std::span<const Scenario> scenarios();
std::span<const Scenario> broken_scenarios();
// Both.
std::vector<Scenario> all_scenarios();
// Null: there is none of that name.
const Scenario* find_scenario(std::string_view name);

}  // namespace emberline::testing
