// Events.
#pragma once

#include "host/api/device.h"
#include "host/execution/event_state.h"

@interface SimulatedEvent : NSObject <MTLSharedEvent> {
 @public
  emberline::metal_sim::EventState state;
}
- (instancetype)initWithDevice:(SimulatedDevice*)device;
@end
