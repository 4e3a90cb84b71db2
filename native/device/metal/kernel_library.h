// The kernels, compiled: from a file beside the addon, or from the sources that this build holds.
// Objective-C++.
#pragma once

#import <Metal/Metal.h>

#include <string>

#include "base/status.h"

namespace emberline::metal {

// `path` (UTF-8) may be empty or name no usable library: then the sources are compiled, which takes most of a
// second. DEVICE_FAILED where that fails.
Result<id<MTLLibrary>> load_kernel_library(id<MTLDevice> device, const std::string& path);

}  // namespace emberline::metal
