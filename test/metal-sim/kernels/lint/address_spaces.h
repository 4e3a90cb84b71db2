// Declarations of pointers and references that name no address space, from clang's dump of the syntax tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace emberline::metal_sim {

// `dump`: of a translated source, in which such declarations have got the generic address space. Those in
// files below `shim` are left out.
std::vector<std::string> find_generic_declarations(std::string_view dump, std::string_view shim);

}  // namespace emberline::metal_sim
