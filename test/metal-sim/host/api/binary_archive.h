// Binary archives: here a list of what was compiled, with a checksum.
#pragma once

#include <string>

#include "host/api/device.h"

@interface SimulatedBinaryArchive : NSObject <MTLBinaryArchive>
- (BOOL)holds:(const std::string&)key;
@end

namespace emberline::metal_sim {

// What newBinaryArchiveWithDescriptor does. Retained.
SimulatedBinaryArchive* archive_from(SimulatedDevice* device, MTLBinaryArchiveDescriptor* descriptor,
                                     NSError* __autoreleasing* error) NS_RETURNS_RETAINED;

}  // namespace emberline::metal_sim
