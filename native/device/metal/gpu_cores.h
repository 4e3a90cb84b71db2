// The number of cores of the machine's GPU, which Metal itself does not tell.
#pragma once

#include <cstdint>

namespace emberline::metal {

// From the IO registry; 0 where it does not say.
std::uint32_t read_gpu_cores();

}  // namespace emberline::metal
