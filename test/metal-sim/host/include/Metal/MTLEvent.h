// Counters that order submissions, and that the host can read and write.
#pragma once

#include <Metal/MTLTypes.h>

@protocol MTLDevice;

NS_ASSUME_NONNULL_BEGIN

@protocol MTLEvent <NSObject>
@property(nullable, readonly) id<MTLDevice> device;
@property(nullable, copy, atomic) NSString* label;
@end

@protocol MTLSharedEvent <MTLEvent>
@property(readwrite) uint64_t signaledValue;
- (BOOL)waitUntilSignaledValue:(uint64_t)value timeoutMS:(uint64_t)milliseconds;  // macOS 12.0
@end

NS_ASSUME_NONNULL_END
