// Memory that stays where the GPU finds it (macOS 15).
#pragma once

#include <Metal/MTLAllocation.h>

@protocol MTLDevice;

NS_ASSUME_NONNULL_BEGIN

@interface MTLResidencySetDescriptor : NSObject <NSCopying>
@property(nullable, copy, nonatomic) NSString* label;
@property(nonatomic) NSUInteger initialCapacity;
@end

@protocol MTLResidencySet <NSObject>
@property(readonly) id<MTLDevice> device;
@property(nullable, readonly) NSString* label;
@property(readonly) NSUInteger allocationCount;
- (void)requestResidency;
- (void)endResidency;
- (void)addAllocation:(id<MTLAllocation>)allocation;
- (void)removeAllocation:(id<MTLAllocation>)allocation;
- (BOOL)containsAllocation:(id<MTLAllocation>)anAllocation;
- (void)commit;
@end

NS_ASSUME_NONNULL_END
