// Faults put into the shipped kernels one by one, every one of which a comparison must catch: the negative
// controls of the kernels' tests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/simulator.h"

namespace emberline::metal_sim {

struct Edit {
  const char* file;  // of metal/
  const char* from;  // stands in the file
  const char* to;
};

struct Mutation {
  const char* name;
  Edit edit;
};

struct Subject {
  const char* kernel;                            // metal/<kernel>.metal
  std::function<bool(const Library&)> is_right;  // the kernels do as they should
  std::vector<Edit> narrowed;  // fewer instances of templates than are shipped: faster to compile
  std::vector<Mutation> mutations;
};

// Fails the test where the subject is not right as it is, or still is with one of the mutations.
void expect_every_fault_caught(const Subject& subject);

}  // namespace emberline::metal_sim
