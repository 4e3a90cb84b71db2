// What Metal says of an error, and which of the engine's errors that is. Objective-C++.
#pragma once

#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <string>

#include "base/status.h"

namespace emberline::metal {

// Never empty.
std::string error_text(NSError* error);

// Of a command buffer that has failed: OUT_OF_MEMORY, DEVICE_UNAVAILABLE where the GPU is gone for this
// process, DEVICE_FAILED otherwise.
Status command_buffer_status(id<MTLCommandBuffer> buffer);

}  // namespace emberline::metal
