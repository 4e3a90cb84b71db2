// Which kernel set sampling runs with: the widest that this processor has.
#pragma once

#include <vector>

#include "sampling/kernels/sampling_kernels.h"

namespace emberline {

const SamplingKernels& sampling_kernels();

// All that run here, best first; the portable one is the last.
std::vector<const SamplingKernels*> runnable_sampling_kernels();

}  // namespace emberline
