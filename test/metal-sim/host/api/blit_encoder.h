// Encodes copies.
#pragma once

#include "host/api/encoder.h"

@interface SimulatedBlitEncoder : SimulatedEncoder <MTLBlitCommandEncoder>
@end
