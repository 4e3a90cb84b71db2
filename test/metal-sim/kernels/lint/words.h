// Words and constructs that the Metal Shading Language 3.0 leaves out of C++14.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace emberline::metal_sim {

std::vector<std::string> find_foreign_words(std::string_view preprocessed);

}  // namespace emberline::metal_sim
