// Encoding is cheap: what a program allocates in its encoding loop is its own, not the stand-ins'.
#include <cstdlib>
#include <new>

#include "tests/host_gpu.h"

using namespace emberline::metal_sim;

namespace {
thread_local std::uint64_t t_allocations = 0;
}  // namespace

void* operator new(std::size_t bytes) {
  t_allocations++;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

class Encoding : public SimulatedGpu {};

TEST_F(Encoding, AllocatesNothingOnceAQueueHasSeenAsMuch) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0}), weights = buffer({1, 1});
    id<MTLComputePipelineState> add = pipeline("add"), twice = pipeline("twice");
    const auto encode = [&](NSUInteger dispatches) {
      id<MTLCommandBuffer> commands = [queue commandBuffer];
      id<MTLComputeCommandEncoder> encoder =
          [commands computeCommandEncoderWithDispatchType:MTLDispatchTypeConcurrent];
      const std::uint64_t before = t_allocations;
      for (NSUInteger i = 0; i < dispatches; i++) {
        const std::uint32_t amount = 1;
        [encoder setComputePipelineState:i % 2 == 0 ? add : twice];
        [encoder setBuffer:a offset:0 atIndex:0];
        [encoder setBuffer:weights offset:0 atIndex:1];
        [encoder setBytes:&amount length:sizeof amount atIndex:2];
        [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
        [encoder memoryBarrierWithScope:MTLBarrierScopeBuffers];
      }
      const std::uint64_t allocations = t_allocations - before;
      [encoder endEncoding];
      [commands commit];
      [commands waitUntilCompleted];
      return allocations;
    };
    EXPECT_GT(encode(500), 0u);  // the counter counts: the list grows
    EXPECT_EQ(encode(500), 0u);
    EXPECT_EQ(counts().barriers, 1000u);
    EXPECT_EQ(counts().encoders, 2u);
  }
}

}  // namespace
