#include "host/api/encoder.h"

#include "host/control/failures.h"

using namespace emberline::metal_sim;

@implementation SimulatedEncoder {
  NSString* _label;
  BOOL _ended;
  NSUInteger _debugGroups;
}
@synthesize label = _label;

- (instancetype)initWithCommandBuffer:(SimulatedCommandBuffer*)buffer {
  if ((self = [super init])) commandBuffer = buffer;
  return self;
}
// An encoder has to be told to end before it is released.
- (void)dealloc {
  if (_ended || commandBuffer == nil) return;
  report_failure(FailureKind::kApiUse, "an encoder was released without endEncoding");
  commandBuffer->encoderOpen = NO;
}
- (CommandList*)listFor:(const char*)what {
  if (!_ended) return &[commandBuffer list];
  report_failure(FailureKind::kApiUse, std::string(what) + " after endEncoding");
  return nullptr;
}
- (id<MTLDevice>)device {
  return commandBuffer.device;
}
- (void)endEncoding {
  if ([self listFor:"endEncoding"] == nullptr) return;
  if (_debugGroups != 0) report_failure(FailureKind::kApiUse, "endEncoding inside a debug group");
  _ended = YES;
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
