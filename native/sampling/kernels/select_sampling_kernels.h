// Which kernel set sampling runs with.
#pragma once

#include "sampling/kernels/sampling_kernels.h"
#include "simd/instruction_sets.h"

namespace emberline {

// `set` runs here. Sets that differ in what products are made of share one here.
const SamplingKernels& sampling_kernels(InstructionSet set);

// Those of the best set that runs here.
const SamplingKernels& best_sampling_kernels();

}  // namespace emberline
