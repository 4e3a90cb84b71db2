// Residency sets: here they keep count, and their rules.
#pragma once

#include "host/api/device.h"

@interface SimulatedResidencySet : NSObject <MTLResidencySet>
- (instancetype)initWithDevice:(SimulatedDevice*)device descriptor:(MTLResidencySetDescriptor*)descriptor;
// By the queues that the set was added to.
- (void)attach;
- (void)detach;
@end
