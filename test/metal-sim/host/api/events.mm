#include "host/api/events.h"

#include "host/control/failures.h"

using namespace emberline::metal_sim;

@implementation SimulatedEvent {
  SimulatedDevice* _device;
  NSString* _label;
}
@synthesize label = _label;

- (id<MTLDevice>)device {
  return _device;
}
- (instancetype)initWithDevice:(SimulatedDevice*)device {
  if ((self = [super init])) _device = device;
  return self;
}
- (uint64_t)signaledValue {
  return state.current();
}
- (void)setSignaledValue:(uint64_t)signaledValue {
  // Events only count upwards.
  if (signaledValue < state.current()) {
    report_failure(FailureKind::kApiUse, "an event's value was set back");
    return;
  }
  state.raise(signaledValue);
}
- (BOOL)waitUntilSignaledValue:(uint64_t)value timeoutMS:(uint64_t)milliseconds {
  return state.wait(value, std::chrono::milliseconds(milliseconds));
}
@end
