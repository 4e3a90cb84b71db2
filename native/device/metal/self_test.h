// Whether this GPU computes what the kernels say: on small inputs, against plain loops.
//
// Each kernel that is tested is compiled, which takes some 30 to 100 ms where no archive has it: so a model's
// own types, biases and heads are tested, for every number of rows that has kernels of its own: about 30
// kernels, and not the more than 200 that there are.
#pragma once

#include "base/status.h"
#include "device/device.h"

namespace emberline::metal {

// All kernels but the sampler's that such a model needs. DEVICE_UNAVAILABLE names the first that is wrong;
// also what the device itself returns.
Status self_test(Device& device, const ModelNeeds& needs);
// The sampler's.
Status self_test_sampler(Device& device);

}  // namespace emberline::metal
