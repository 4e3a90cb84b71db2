// Orders encoders that share untracked resources.
#pragma once

#include <Metal/MTLTypes.h>

@protocol MTLDevice;

NS_ASSUME_NONNULL_BEGIN

@protocol MTLFence <NSObject>
@property(readonly) id<MTLDevice> device;
@property(nullable, copy, atomic) NSString* label;
@end

NS_ASSUME_NONNULL_END
