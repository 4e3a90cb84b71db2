// Buffers: memory of the host, which the simulated GPU reads and writes in place.
#pragma once

#include "host/api/device.h"
#include "host/execution/resources.h"

using BufferDeallocator = void (^)(void* pointer, NSUInteger length);

@interface SimulatedBuffer : NSObject <MTLBuffer> {
 @public
  emberline::metal_sim::Memory* memory;
}
// Zero-filled memory of its own, on pages with a page behind them that nobody may touch. nil: none left.
- (instancetype)initWithDevice:(SimulatedDevice*)device
                        length:(NSUInteger)length
                       options:(MTLResourceOptions)options;
// Memory of somebody else, who is told when the buffer is gone.
- (instancetype)initWithDevice:(SimulatedDevice*)device
                       wrapped:(void*)pointer
                        length:(NSUInteger)length
                       options:(MTLResourceOptions)options
                   deallocator:(BufferDeallocator)deallocator;
@end

namespace emberline::metal_sim {
inline Memory* memory_of(id<MTLBuffer> buffer) {
  return ((SimulatedBuffer*)buffer)->memory;
}
}  // namespace emberline::metal_sim
