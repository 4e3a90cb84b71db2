// Where command buffers come from, and in whose order they run.
#pragma once

#include <Metal/MTLCommandBuffer.h>
#include <Metal/MTLResidencySet.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLCommandQueue <NSObject>
@property(nullable, copy, atomic) NSString* label;
@property(readonly) id<MTLDevice> device;
- (nullable id<MTLCommandBuffer>)commandBuffer;
- (nullable id<MTLCommandBuffer>)commandBufferWithDescriptor:(MTLCommandBufferDescriptor*)descriptor;
- (nullable id<MTLCommandBuffer>)commandBufferWithUnretainedReferences;
- (void)addResidencySet:(id<MTLResidencySet>)residencySet;
- (void)removeResidencySet:(id<MTLResidencySet>)residencySet;
@end

NS_ASSUME_NONNULL_END
