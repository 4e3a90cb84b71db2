// A kernel that is ready to run.
#pragma once

#include <Metal/MTLLibrary.h>

NS_ASSUME_NONNULL_BEGIN

typedef NS_OPTIONS(NSUInteger, MTLPipelineOption) {
  MTLPipelineOptionNone = 0,
  MTLPipelineOptionArgumentInfo = 1 << 0,
  MTLPipelineOptionBufferTypeInfo = 1 << 1,
  MTLPipelineOptionFailOnBinaryArchiveMiss = 1 << 2,
};

@interface MTLComputePipelineReflection : NSObject
@end
typedef MTLComputePipelineReflection* MTLAutoreleasedComputePipelineReflection;

@interface MTLComputePipelineDescriptor : NSObject <NSCopying>
@property(nullable, copy, nonatomic) NSString* label;
@property(nullable, readwrite, nonatomic, strong) id<MTLFunction> computeFunction;
@property(readwrite, nonatomic) BOOL threadGroupSizeIsMultipleOfThreadExecutionWidth;
@property(readwrite, nonatomic) NSUInteger maxTotalThreadsPerThreadgroup;
@property(readwrite, nonatomic) BOOL supportIndirectCommandBuffers;
@property(readwrite, nullable, nonatomic, copy) NSArray<id<MTLBinaryArchive>>* binaryArchives;
- (void)reset;
@end

@protocol MTLComputePipelineState <NSObject>
@property(nullable, readonly) NSString* label;
@property(readonly) id<MTLDevice> device;
@property(readonly) NSUInteger maxTotalThreadsPerThreadgroup;
@property(readonly) NSUInteger threadExecutionWidth;
@property(readonly) NSUInteger staticThreadgroupMemoryLength;
@end

NS_ASSUME_NONNULL_END
