// A simulated device with a few kernels, for tests of what the Metal stand-ins promise.
#pragma once

#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <cstdint>
#include <initializer_list>
#include <string>

#include "tests/simulated_mac.h"

namespace emberline::metal_sim {

class SimulatedGpu : public SimulatedMac {
 protected:
  void SetUp() override {
    SimulatedMac::SetUp();
    @autoreleasepool {
      make_device();
    }
  }
  void TearDown() override {
    library = nil;
    queue = nil;
    device = nil;
    SimulatedMac::TearDown();
  }

  void make_device() {
    device = MTLCreateSystemDefaultDevice();
    queue = [device newCommandQueue];
    NSError* error = nil;
    // host_kernels.metal, compiled when the tests were built.
    library = [device newLibraryWithURL:[NSURL fileURLWithPath:@METAL_SIM_HOST_KERNELS] error:&error];
    ASSERT_NE(library, nil) << error.localizedDescription.UTF8String;
  }

  id<MTLComputePipelineState> pipeline(const char* kernel) {
    NSError* error = nil;
    id<MTLFunction> function = [library newFunctionWithName:[NSString stringWithUTF8String:kernel]];
    id<MTLComputePipelineState> made = [device newComputePipelineStateWithFunction:function error:&error];
    EXPECT_NE(made, nil) << error.localizedDescription.UTF8String;
    return made;
  }

  // A shared buffer of these values.
  id<MTLBuffer> buffer(std::initializer_list<std::uint32_t> values, const char* label = nullptr) {
    id<MTLBuffer> made = [device newBufferWithBytes:values.begin()
                                             length:values.size() * sizeof(std::uint32_t)
                                            options:MTLResourceStorageModeShared];
    if (label != nullptr) made.label = [NSString stringWithUTF8String:label];
    return made;
  }
  static std::uint32_t* values_of(id<MTLBuffer> buffer) {
    return static_cast<std::uint32_t*>(buffer.contents);
  }

  // Encodes a[i] += amount, or 2 * a[i], over the first `threads` values.
  void increase(id<MTLComputeCommandEncoder> encoder, id<MTLBuffer> a, std::uint32_t amount,
                NSUInteger threads = 1) {
    [encoder setComputePipelineState:pipeline("increase")];
    [encoder setBuffer:a offset:0 atIndex:0];
    [encoder setBytes:&amount length:sizeof amount atIndex:1];
    [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(threads, 1, 1)];
  }
  void twice(id<MTLComputeCommandEncoder> encoder, id<MTLBuffer> a, NSUInteger threads = 1) {
    [encoder setComputePipelineState:pipeline("twice")];
    [encoder setBuffer:a offset:0 atIndex:0];
    [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(threads, 1, 1)];
  }

  // A command buffer that adds `amount`, committed.
  id<MTLCommandBuffer> submit(id<MTLBuffer> a, std::uint32_t amount, int dispatches = 1) {
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    for (int i = 0; i < dispatches; i++) increase(encoder, a, amount);
    [encoder endEncoding];
    [commands commit];
    return commands;
  }

  id<MTLDevice> device = nil;
  id<MTLCommandQueue> queue = nil;
  id<MTLLibrary> library = nil;
};

}  // namespace emberline::metal_sim
