#include "host/api/encoder.h"

#include "host/control/failures.h"

using namespace emberline::metal_sim;

@implementation SimulatedEncoder {
  NSString* _label;
  NSUInteger _debugGroups;
}
@synthesize label = _label;

- (instancetype)initWithCommandBuffer:(SimulatedCommandBuffer*)buffer {
  if ((self = [super init])) {
    commandBuffer = buffer;
    list = &[buffer list];
  }
  return self;
}
// An encoder has to be told to end before it is released.
- (void)dealloc {
  if (list == nullptr) return;
  report_failure(FailureKind::kApiUse, "an encoder was released without endEncoding");
  commandBuffer->encoderOpen = NO;
}
- (id<MTLDevice>)device {
  return commandBuffer.device;
}
- (void)endEncoding {
  if (list_for(self, "endEncoding") == nullptr) return;
  if (_debugGroups != 0) report_failure(FailureKind::kApiUse, "endEncoding inside a debug group");
  list = nullptr;
  commandBuffer->encoderOpen = NO;
}
- (void)insertDebugSignpost:(NSString*)string {
}
- (void)pushDebugGroup:(NSString*)string {
  _debugGroups++;
}
- (void)popDebugGroup {
  if (_debugGroups == 0) {
    report_failure(FailureKind::kApiUse, "popDebugGroup without a group");
  } else {
    _debugGroups--;
  }
}
@end

void emberline::metal_sim::report_ended_encoder(const char* what) {
  report_failure(FailureKind::kApiUse, std::string(what) + " after endEncoding");
}
