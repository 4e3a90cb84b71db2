// Command queues.
#pragma once

#include <atomic>

#include "host/api/device.h"
#include "host/execution/queue.h"

@interface SimulatedCommandQueue : NSObject <MTLCommandQueue> {
 @public
  emberline::metal_sim::SubmissionQueue queue;
  std::atomic<NSUInteger> uncompleted;  // command buffers made and neither completed nor thrown away
}
- (instancetype)initWithDevice:(SimulatedDevice*)device maxCommandBufferCount:(NSUInteger)count;
@end
