// What compute and blit encoders have in common: they write into the list of one command buffer until they
// end.
#pragma once

#include "host/api/command_buffer.h"

@interface SimulatedEncoder : NSObject {
 @public
  SimulatedCommandBuffer* commandBuffer;
}
- (instancetype)initWithCommandBuffer:(SimulatedCommandBuffer*)buffer;
// The list to write `what` into; null, with a failure, once the encoder has ended.
- (emberline::metal_sim::CommandList*)listFor:(const char*)what;
@property(copy, atomic) NSString* label;
@property(readonly) id<MTLDevice> device;
- (void)endEncoding;
- (void)insertDebugSignpost:(NSString*)string;
- (void)pushDebugGroup:(NSString*)string;
- (void)popDebugGroup;
@end
