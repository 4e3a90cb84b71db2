// What compute and blit encoders have in common: they write into the list of one command buffer until they
// end.
#pragma once

#include "host/api/command_buffer.h"

@interface SimulatedEncoder : NSObject {
 @public
  SimulatedCommandBuffer* commandBuffer;
  emberline::metal_sim::CommandList* list;  // of the command buffer; null once the encoder has ended
}
- (instancetype)initWithCommandBuffer:(SimulatedCommandBuffer*)buffer;
@property(copy, atomic) NSString* label;
@property(readonly) id<MTLDevice> device;
- (void)endEncoding;
- (void)insertDebugSignpost:(NSString*)string;
- (void)pushDebugGroup:(NSString*)string;
- (void)popDebugGroup;
@end

namespace emberline::metal_sim {

void report_ended_encoder(const char* what);

// The list that `encoder` writes `what` into; null, with a failure, once it has ended. A function, not a
// method: encoding loops are timed.
inline CommandList* list_for(SimulatedEncoder* encoder, const char* what) {
  if (encoder->list == nullptr) report_ended_encoder(what);
  return encoder->list;
}

}  // namespace emberline::metal_sim
