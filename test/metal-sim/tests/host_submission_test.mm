// What can go wrong with a command buffer, and how long what it uses lives.
#include <thread>

#include "tests/host_gpu.h"

using namespace emberline::metal_sim;

namespace {
class Submissions : public SimulatedGpu {};
}  // namespace

TEST_F(Submissions, RefuseACommandBufferTwice) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0});
    id<MTLCommandBuffer> commands = submit(a, 1);
    [commands commit];
    expect_failure(FailureKind::kApiUse, "commit after the command buffer was committed");
    EXPECT_EQ([commands computeCommandEncoder], nil);
    expect_failure(FailureKind::kApiUse, "a new encoder after the command buffer was committed");
    [commands waitUntilCompleted];
    EXPECT_EQ(values_of(a)[0], 1u);
  }
}

TEST_F(Submissions, NameAWaitThatNeverEnds) {
  @autoreleasepool {
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    [commands waitUntilCompleted];
    expect_failure(FailureKind::kDeadlock, "waitUntilCompleted before commit");
  }
}

TEST_F(Submissions, HoldSoManyCommandBuffers) {
  @autoreleasepool {
    id<MTLCommandQueue> narrow = [device newCommandQueueWithMaxCommandBufferCount:2];
    id<MTLCommandBuffer> first = [narrow commandBuffer], second = [narrow commandBuffer];
    EXPECT_EQ([narrow commandBuffer], nil);
    expect_failure(FailureKind::kDeadlock, "beyond the number");
    [first commit];
    [first waitUntilCompleted];
    EXPECT_NE([narrow commandBuffer], nil);
    EXPECT_NE(second, nil);
  }
}

TEST_F(Submissions, EndInTheErrorThatATestInjects) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0});
    inject(SubmissionFault{.error = SubmissionError::kOutOfMemory, .skip = 1, .after_dispatches = 2});
    id<MTLCommandBuffer> first = submit(a, 1, 4), second = submit(a, 10, 4), third = submit(a, 100, 4);
    [third waitUntilCompleted];
    EXPECT_EQ(first.status, MTLCommandBufferStatusCompleted);
    EXPECT_EQ(second.status, MTLCommandBufferStatusError);
    EXPECT_TRUE([second.error.domain isEqualToString:MTLCommandBufferErrorDomain]);
    EXPECT_EQ(second.error.code, (NSInteger)MTLCommandBufferErrorOutOfMemory);
    EXPECT_EQ(third.status, MTLCommandBufferStatusCompleted);
    EXPECT_EQ(values_of(a)[0], 4u + 20u + 400u);
  }
}

TEST_F(Submissions, StayLostOnceTheDeviceIs) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0});
    inject(SubmissionFault{.error = SubmissionError::kDeviceRemoved});
    for (int i = 0; i < 3; i++) {
      id<MTLCommandBuffer> commands = submit(a, 1);
      [commands waitUntilCompleted];
      EXPECT_EQ(commands.error.code, (NSInteger)MTLCommandBufferErrorDeviceRemoved);
    }
    EXPECT_EQ(values_of(a)[0], 0u);
    clear_injections();
    [submit(a, 1) waitUntilCompleted];
    EXPECT_EQ(values_of(a)[0], 1u);
  }
}

TEST_F(Submissions, EndInAnErrorWhereAKernelMisbehaves) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0, 0});
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    twice(encoder, a, 3);  // one thread too many
    [encoder endEncoding];
    [commands commit];
    [commands waitUntilCompleted];
    EXPECT_EQ(commands.status, MTLCommandBufferStatusError);
    EXPECT_EQ(commands.error.code, (NSInteger)MTLCommandBufferErrorPageFault);
    EXPECT_TRUE([commands.error.localizedDescription containsString:@"twice"]);
    expect_failure(FailureKind::kKernelFault, "twice");
  }
}

TEST_F(Submissions, KeepWhatTheirCommandBuffersUse) {
  id<MTLCommandBuffer> commands = nil;
  {
    const PausedGpu paused;
    @autoreleasepool {
      id<MTLBuffer> a = buffer({0});
      commands = submit(a, 1);
    }
    EXPECT_EQ(live_objects_by_class()["SimulatedBuffer"], 1);
    EXPECT_EQ(live_objects_by_class()["SimulatedPipeline"], 1);
  }
  [commands waitUntilCompleted];
  EXPECT_EQ(live_objects_by_class().count("SimulatedBuffer"), 0u);
}

TEST_F(Submissions, NameABufferThatIsGoneWhileItIsUsedWithoutAReference) {
  id<MTLComputePipelineState> twice_pipeline = nil;
  id<MTLCommandBuffer> commands = nil;
  {
    const PausedGpu paused;
    @autoreleasepool {
      twice_pipeline = pipeline("twice");
      id<MTLBuffer> a = buffer({1}, "short-lived");
      commands = [queue commandBufferWithUnretainedReferences];
      EXPECT_FALSE(commands.retainedReferences);
      id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
      [encoder setComputePipelineState:twice_pipeline];
      [encoder setBuffer:a offset:0 atIndex:0];
      [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
      [encoder endEncoding];
      [commands commit];
    }
    expect_failure(FailureKind::kLifetime, "'short-lived' was deallocated while");
  }
  [commands waitUntilCompleted];
}

TEST_F(Submissions, CountLooksAtABufferInFlight) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0});
    id<MTLCommandBuffer> commands = nil;
    {
      const PausedGpu paused;
      commands = submit(a, 1);
      EXPECT_EQ(counts().contents_in_flight, 0u);
      values_of(a);
      EXPECT_EQ(counts().contents_in_flight, 1u);
    }
    [commands waitUntilCompleted];
    EXPECT_EQ(values_of(a)[0], 1u);
    EXPECT_EQ(counts().contents_in_flight, 1u);
  }
}

TEST_F(Submissions, ThrowAwayWhatIsNeverCommitted) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({5});
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    increase(encoder, a, 1);
    [encoder endEncoding];
  }
  EXPECT_EQ(live_objects_by_class().count("SimulatedBuffer"), 0u);
  EXPECT_EQ(counts().submissions, 0u);
}

TEST_F(Submissions, EndWithTheirLastCommandBuffer) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0});
    submit(a, 1);
    queue = nil;  // the command buffer under way keeps it
  }
  while (live_objects_by_class().count("SimulatedCommandQueue") != 0) std::this_thread::yield();
}
