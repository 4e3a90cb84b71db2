// Command buffers: what an encoder writes into, and what a queue runs.
#pragma once

#include <memory>

#include "host/api/command_queue.h"

@interface SimulatedCommandBuffer : NSObject <MTLCommandBuffer> {
 @public
  std::shared_ptr<emberline::metal_sim::Submission> submission;
  BOOL encoderOpen;
}
- (instancetype)initWithQueue:(SimulatedCommandQueue*)queue
                      retains:(BOOL)retains
                 errorOptions:(MTLCommandBufferErrorOption)options;
// What its encoders write.
- (emberline::metal_sim::CommandList&)list;
@end
