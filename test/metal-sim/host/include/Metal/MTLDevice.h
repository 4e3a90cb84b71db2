// Stand-in for Apple's Metal on Linux. Every name here is one of Apple's public API with the signature it has
// there, and nothing else: what compiles against these headers compiles on a Mac. What simulates the GPU
// behind them is driven by control.h.
#pragma once

#include <Metal/MTLBinaryArchive.h>
#include <Metal/MTLBuffer.h>
#include <Metal/MTLCommandQueue.h>
#include <Metal/MTLEvent.h>

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSInteger, MTLGPUFamily) {
  MTLGPUFamilyApple1 = 1001,
  MTLGPUFamilyApple2 = 1002,
  MTLGPUFamilyApple3 = 1003,
  MTLGPUFamilyApple4 = 1004,
  MTLGPUFamilyApple5 = 1005,
  MTLGPUFamilyApple6 = 1006,
  MTLGPUFamilyApple7 = 1007,  // M1
  MTLGPUFamilyApple8 = 1008,  // M2
  MTLGPUFamilyApple9 = 1009,  // M3, M4
  MTLGPUFamilyMac2 = 2002,
  MTLGPUFamilyCommon1 = 3001,
  MTLGPUFamilyCommon2 = 3002,
  MTLGPUFamilyCommon3 = 3003,
  MTLGPUFamilyMetal3 = 5001,
};

typedef void (^MTLNewComputePipelineStateCompletionHandler)(
    id<MTLComputePipelineState> _Nullable computePipelineState, NSError* _Nullable error);

@protocol MTLDevice <NSObject>
@property(readonly) NSString* name;
@property(readonly) uint64_t registryID;
@property(readonly) MTLSize maxThreadsPerThreadgroup;
@property(readonly, getter=isLowPower) BOOL lowPower;
@property(readonly, getter=isHeadless) BOOL headless;
@property(readonly, getter=isRemovable) BOOL removable;
@property(readonly) BOOL hasUnifiedMemory;
@property(readonly) uint64_t recommendedMaxWorkingSetSize;  // bytes
@property(readonly) NSUInteger currentAllocatedSize;        // bytes
@property(readonly) NSUInteger maxThreadgroupMemoryLength;  // bytes
@property(readonly) NSUInteger maxBufferLength;             // bytes

- (BOOL)supportsFamily:(MTLGPUFamily)gpuFamily;
- (nullable id<MTLCommandQueue>)newCommandQueue;
- (nullable id<MTLCommandQueue>)newCommandQueueWithMaxCommandBufferCount:(NSUInteger)maxCommandBufferCount;

- (nullable id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options;
- (nullable id<MTLBuffer>)newBufferWithBytes:(const void*)pointer
                                      length:(NSUInteger)length
                                     options:(MTLResourceOptions)options;
- (nullable id<MTLBuffer>)newBufferWithBytesNoCopy:(void*)pointer
                                            length:(NSUInteger)length
                                           options:(MTLResourceOptions)options
                                       deallocator:
                                           (void (^_Nullable)(void* pointer, NSUInteger length))deallocator;

- (nullable id<MTLLibrary>)newLibraryWithSource:(NSString*)source
                                        options:(nullable MTLCompileOptions*)options
                                          error:(NSError* _Nullable* _Nullable)error;
- (nullable id<MTLLibrary>)newLibraryWithURL:(NSURL*)url error:(NSError* _Nullable* _Nullable)error;

- (nullable id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)computeFunction
                                                                      error:(NSError* _Nullable* _Nullable)
                                                                                error;
- (nullable id<MTLComputePipelineState>)
    newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor*)descriptor
                                  options:(MTLPipelineOption)options
                               reflection:
                                   (MTLAutoreleasedComputePipelineReflection _Nullable* _Nullable)reflection
                                    error:(NSError* _Nullable* _Nullable)error;
- (nullable id<MTLBinaryArchive>)newBinaryArchiveWithDescriptor:(MTLBinaryArchiveDescriptor*)descriptor
                                                          error:(NSError* _Nullable* _Nullable)error;

- (nullable id<MTLResidencySet>)newResidencySetWithDescriptor:(MTLResidencySetDescriptor*)desc
                                                        error:(NSError* _Nullable* _Nullable)error;

- (nullable id<MTLEvent>)newEvent;
- (nullable id<MTLSharedEvent>)newSharedEvent;
@end

// Retained for the caller. nil where there is no GPU.
FOUNDATION_EXPORT id<MTLDevice> _Nullable MTLCreateSystemDefaultDevice(void) NS_RETURNS_RETAINED;
FOUNDATION_EXPORT NSArray<id<MTLDevice>>* MTLCopyAllDevices(void) NS_RETURNS_RETAINED;

NS_ASSUME_NONNULL_END
