// Whether this GPU computes what the kernels say: every kernel, for every type of weight, on small inputs,
// against plain loops.
#pragma once

#include "base/status.h"
#include "device/device.h"

namespace emberline::metal {

// All kernels but the sampler's. DEVICE_UNAVAILABLE names the first that is wrong; also what the device
// itself returns.
Status self_test(Device& device);
// The sampler's.
Status self_test_sampler(Device& device);

}  // namespace emberline::metal
