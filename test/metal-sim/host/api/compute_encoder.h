// Encodes dispatches.
#pragma once

#include "host/api/encoder.h"

@interface SimulatedComputeEncoder : SimulatedEncoder <MTLComputeCommandEncoder>
- (instancetype)initWithCommandBuffer:(SimulatedCommandBuffer*)buffer type:(MTLDispatchType)type;
@end
