// One piece of work, once for each of its allocations, each time with that one failing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "faults/failing_allocations.h"

namespace emberline::testing {

// What an attempt came to, as a text that two equal outcomes share: ids, for example.
using Outcome = Result<std::string>;

struct Work {
  // Made anew for every attempt, with all the memory there is; may be empty. Of what it makes everything is
  // given back by `end`.
  std::function<void()> begin;
  // What has to survive. With too little memory OUT_OF_MEMORY, or what it gives with enough.
  std::function<Outcome()> attempt;
  // With memory again, on what `attempt` left: what it gives is the same after every attempt.
  std::function<Outcome()> afterwards;
  std::function<void()> end;
};

struct Survey {
  std::uint64_t allocations = 0;  // of an attempt, those that failed once each
  std::uint64_t refused = 0;      // attempts that were OUT_OF_MEMORY
  std::vector<std::string> complaints;
};

// Lets the 1st, (1 + stride)th, ... allocation fail until an attempt needs fewer.
Survey survey(const Work& work, std::uint64_t stride, Shortage shortage);

}  // namespace emberline::testing
