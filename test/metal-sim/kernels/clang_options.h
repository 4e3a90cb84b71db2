// The compiler's command lines.
#pragma once

#include <string>
#include <vector>

namespace emberline::metal_sim {

std::vector<std::string> preprocess_options();
// Compiles and links a translated source into a library.
std::vector<std::string> compile_options(bool checked);

}  // namespace emberline::metal_sim
