// What takes up memory.
#pragma once

#include <Metal/MTLTypes.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLAllocation <NSObject>
@property(readonly) NSUInteger allocatedSize;
@end

NS_ASSUME_NONNULL_END
