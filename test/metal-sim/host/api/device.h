// The simulated GPU.
#pragma once

#import <Metal/Metal.h>

#include <atomic>
#include <cstdint>

#include "host/control/machine.h"

@interface SimulatedDevice : NSObject <MTLDevice> {
 @public
  emberline::metal_sim::Machine machine;  // as it was when the device was made
  std::atomic<std::uint64_t> allocated;   // bytes of all buffers that are alive
}
@end
