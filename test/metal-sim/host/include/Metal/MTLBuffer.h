// Memory that host and GPU share.
#pragma once

#include <Metal/MTLResource.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLBuffer <MTLResource>
@property(readonly) NSUInteger length;
@property(readonly) uint64_t gpuAddress;
- (void*)contents NS_RETURNS_INNER_POINTER;
- (void)didModifyRange:(NSRange)range;
@end

NS_ASSUME_NONNULL_END
