// The text of all kernels (metal/), joined when the addon is built.
#pragma once

#include <string_view>

namespace emberline::metal {

std::string_view kernel_source();

}  // namespace emberline::metal
