#include "host/api/device.h"

#include <cstring>

#include "host/api/binary_archive.h"
#include "host/api/buffer.h"
#include "host/api/command_queue.h"
#include "host/api/events.h"
#include "host/api/library.h"
#include "host/api/pipeline.h"
#include "host/api/residency_set.h"
#include "host/control/counts.h"
#include "host/control/failures.h"
#include "host/control/injections.h"
#include "host/foundation/strings.h"

using namespace emberline::metal_sim;

static constexpr NSUInteger kDefaultCommandBufferCount = 64;  // what newCommandQueue makes room for

@implementation SimulatedDevice
- (NSString*)name {
  return make_string(machine.name);
}
- (uint64_t)registryID {
  return 1;
}
- (MTLSize)maxThreadsPerThreadgroup {
  const NSUInteger most = machine.max_threads_per_threadgroup;
  return MTLSizeMake(most, most, most);
}
- (BOOL)isLowPower {
  return NO;
}
- (BOOL)isHeadless {
  return NO;
}
- (BOOL)isRemovable {
  return NO;
}
- (BOOL)hasUnifiedMemory {
  return YES;
}
- (uint64_t)recommendedMaxWorkingSetSize {
  return machine.recommended_working_set_bytes;
}
- (NSUInteger)currentAllocatedSize {
  return allocated;
}
- (NSUInteger)maxThreadgroupMemoryLength {
  return machine.max_threadgroup_bytes;
}
- (NSUInteger)maxBufferLength {
  return machine.max_buffer_bytes;
}

- (BOOL)supportsFamily:(MTLGPUFamily)gpuFamily {
  if (gpuFamily == MTLGPUFamilyMetal3) return machine.metal3;
  if (gpuFamily >= MTLGPUFamilyApple1 && gpuFamily < MTLGPUFamilyMac2) {
    return gpuFamily - MTLGPUFamilyApple1 < machine.apple_family;
  }
  return gpuFamily == MTLGPUFamilyMac2 ||
         (gpuFamily >= MTLGPUFamilyCommon1 && gpuFamily <= MTLGPUFamilyCommon3);
}

- (id<MTLCommandQueue>)newCommandQueue {
  return [self newCommandQueueWithMaxCommandBufferCount:kDefaultCommandBufferCount];
}
- (id<MTLCommandQueue>)newCommandQueueWithMaxCommandBufferCount:(NSUInteger)maxCommandBufferCount {
  if (operation_fails(Operation::kQueue)) return nil;
  return [[SimulatedCommandQueue alloc] initWithDevice:self maxCommandBufferCount:maxCommandBufferCount];
}

// A buffer has at least one byte and at most maxBufferLength; storage is shared or private, since managed
// memory is for GPUs with memory of their own.
- (BOOL)mayMake:(NSUInteger)length options:(MTLResourceOptions)options {
  const auto storage = (MTLStorageMode)((options >> 4) & 0xf);
  if (length == 0 || length > machine.max_buffer_bytes) {
    report_failure(FailureKind::kApiUse, "a buffer of " + std::to_string(length) + " bytes; 1 to " +
                                             std::to_string(machine.max_buffer_bytes) + " may be");
    return NO;
  }
  if (storage == MTLStorageModeMemoryless) {
    report_failure(FailureKind::kApiUse, "a buffer in memoryless storage, which is for textures");
    return NO;
  }
  // Untracked memory is ordered between encoders by fences alone, whose use nothing here could check.
  if (((options >> 8) & 0x3) == MTLHazardTrackingModeUntracked) {
    report_failure(FailureKind::kApiUse, "a buffer without hazard tracking, which is not simulated");
    return NO;
  }
  return YES;
}
- (BOOL)hasRoomFor:(NSUInteger)length {
  return allocated + length <= machine.memory_bytes;
}
- (void)countBuffer:(NSUInteger)length wrapped:(BOOL)wrapped {
  count([=](Counts& all) {
    all.buffers++;
    all.buffer_bytes += length;
    all.wrapped_buffers += wrapped ? 1 : 0;
  });
}
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options {
  if (![self mayMake:length options:options]) return nil;
  if (operation_fails(Operation::kBuffer) || ![self hasRoomFor:length]) return nil;
  [self countBuffer:length wrapped:NO];
  return [[SimulatedBuffer alloc] initWithDevice:self length:length options:options];
}
- (id<MTLBuffer>)newBufferWithBytes:(const void*)pointer
                             length:(NSUInteger)length
                            options:(MTLResourceOptions)options {
  id<MTLBuffer> buffer = [self newBufferWithLength:length options:options];
  if (buffer != nil) std::memcpy(memory_of(buffer)->data, pointer, length);
  return buffer;
}
// The memory begins at a page and ends at one, and its storage is not private.
- (id<MTLBuffer>)newBufferWithBytesNoCopy:(void*)pointer
                                   length:(NSUInteger)length
                                  options:(MTLResourceOptions)options
                              deallocator:(BufferDeallocator)deallocator {
  if (![self mayMake:length options:options]) return nil;
  const std::size_t page = machine_page_bytes();
  if (reinterpret_cast<std::uintptr_t>(pointer) % page != 0 || length % page != 0) {
    report_failure(FailureKind::kApiUse,
                   "newBufferWithBytesNoCopy with an address or a length that is not a multiple of " +
                       std::to_string(page));
    return nil;
  }
  if (((options >> 4) & 0xf) == MTLStorageModePrivate) {
    report_failure(FailureKind::kApiUse, "newBufferWithBytesNoCopy in private storage");
    return nil;
  }
  if (operation_fails(Operation::kWrapBuffer)) return nil;
  [self countBuffer:length wrapped:YES];
  return [[SimulatedBuffer alloc] initWithDevice:self
                                         wrapped:pointer
                                          length:length
                                         options:options
                                     deallocator:deallocator];
}

- (id<MTLLibrary>)newLibraryWithSource:(NSString*)source
                               options:(MTLCompileOptions*)options
                                 error:(NSError**)error {
  return library_from_source(self, source, options, error);
}
- (id<MTLLibrary>)newLibraryWithURL:(NSURL*)url error:(NSError**)error {
  return library_from_file(self, text_of(url.path), error);
}

- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)computeFunction
                                                             error:(NSError**)error {
  MTLComputePipelineDescriptor* descriptor = [[MTLComputePipelineDescriptor alloc] init];
  descriptor.computeFunction = computeFunction;
  return pipeline_from(self, descriptor, MTLPipelineOptionNone, error);
}
- (id<MTLComputePipelineState>)
    newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor*)descriptor
                                  options:(MTLPipelineOption)options
                               reflection:(MTLAutoreleasedComputePipelineReflection*)reflection
                                    error:(NSError**)error {
  if (reflection != nullptr) *reflection = nil;
  return pipeline_from(self, descriptor, options, error);
}
- (id<MTLBinaryArchive>)newBinaryArchiveWithDescriptor:(MTLBinaryArchiveDescriptor*)descriptor
                                                 error:(NSError**)error {
  return archive_from(self, descriptor, error);
}

- (id<MTLResidencySet>)newResidencySetWithDescriptor:(MTLResidencySetDescriptor*)desc error:(NSError**)error {
  if (operation_fails(Operation::kResidencySet)) {
    set_error(error, @"MTLDomain", 1, "an injected fault");
    return nil;
  }
  return [[SimulatedResidencySet alloc] initWithDevice:self descriptor:desc];
}

- (id<MTLEvent>)newEvent {
  return [[SimulatedEvent alloc] initWithDevice:self];
}
- (id<MTLSharedEvent>)newSharedEvent {
  return [[SimulatedEvent alloc] initWithDevice:self];
}
@end

id<MTLDevice> MTLCreateSystemDefaultDevice() {
  const Machine here = machine();
  if (!here.has_gpu) return nil;
  SimulatedDevice* device = [[SimulatedDevice alloc] init];
  device->machine = here;
  return device;
}

NSArray<id<MTLDevice>>* MTLCopyAllDevices() {
  id<MTLDevice> device = MTLCreateSystemDefaultDevice();
  return device == nil ? [[NSArray alloc] init] : [NSArray arrayWithObject:device];
}
