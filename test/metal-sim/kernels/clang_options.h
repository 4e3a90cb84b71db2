// The compiler's command lines.
#pragma once

#include <string>
#include <vector>

#include "kernels/simulator.h"

namespace emberline::metal_sim {

std::vector<std::string> preprocess_options();
// Compiles and links a translated source into a library.
std::vector<std::string> compile_options(const CompileOptions& wanted);
// Checks a translated source without the generic address space, as Apple's compiler does.
std::vector<std::string> strict_options();
// Prints the syntax tree of a translated source.
std::vector<std::string> dump_options();
// Warns of what a translated source has of compilers' own extensions, GNU's among them.
std::vector<std::string> pedantic_options();

}  // namespace emberline::metal_sim
