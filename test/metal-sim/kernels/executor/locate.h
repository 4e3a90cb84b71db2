// From an address in a kernel's code to its line.
#pragma once

#include <string>

namespace emberline::metal_sim {

// "mat_vec.h:57", or empty where the address is null or its place is not known. Starts a program; for faults.
std::string locate(const void* code);

}  // namespace emberline::metal_sim
