// Command buffers and queues: asynchronous, in order, and able to fail.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "tests/host_gpu.h"

using namespace emberline::metal_sim;

namespace {

class Queues : public SimulatedGpu {
 protected:
  static std::size_t place_of(EventKind kind, std::uint64_t submission) {
    const auto all = events();
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), Event{kind, submission}) - all.begin());
  }
};

}  // namespace

TEST_F(Queues, RunWhileTheHostGoesOn) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0});
    id<MTLCommandBuffer> first = nil, second = nil;
    {
      const PausedGpu paused;
      first = submit(a, 1);
      second = submit(a, 10);
      EXPECT_EQ(first.status, MTLCommandBufferStatusCommitted);
      EXPECT_EQ(first.GPUEndTime, 0);
    }
    [second waitUntilCompleted];
    [first waitUntilCompleted];
    EXPECT_EQ(values_of(a)[0], 11u);
    EXPECT_EQ(second.status, MTLCommandBufferStatusCompleted);
    EXPECT_GE(second.GPUStartTime, first.GPUEndTime);
    EXPECT_GE(first.GPUEndTime, first.GPUStartTime);
    EXPECT_LT(place_of(EventKind::kSubmit, 2), place_of(EventKind::kStart, 1));
    EXPECT_LT(place_of(EventKind::kComplete, 1), place_of(EventKind::kStart, 2));
    EXPECT_LT(place_of(EventKind::kSubmit, 2), place_of(EventKind::kWaitBegin, 1));
    EXPECT_LT(place_of(EventKind::kComplete, 2), place_of(EventKind::kWaitEnd, 2));
    EXPECT_EQ(events().size(), 10u);
  }
}

TEST_F(Queues, RunAtWaitWhereATestSaysSo) {
  Schedule schedule;
  schedule.execution = Execution::kAtWait;
  set_schedule(schedule);
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0});
    id<MTLCommandBuffer> first = submit(a, 1), second = submit(a, 10), third = submit(a, 100);
    EXPECT_EQ(values_of(a)[0], 0u);
    [second waitUntilCompleted];
    EXPECT_EQ(values_of(a)[0], 11u);
    EXPECT_EQ(first.status, MTLCommandBufferStatusCompleted);
    EXPECT_EQ(third.status, MTLCommandBufferStatusCommitted);
    [third waitUntilCompleted];
    EXPECT_EQ(values_of(a)[0], 111u);
  }
}

TEST_F(Queues, CallHandlersBeforeAWaitEnds) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0});
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    __block std::uint32_t seen = 0;
    __block MTLCommandBufferStatus status = MTLCommandBufferStatusNotEnqueued;
    [commands addCompletedHandler:^(id<MTLCommandBuffer> done) {
      status = done.status;
      seen = static_cast<const std::uint32_t*>(a.contents)[0];
    }];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    increase(encoder, a, 7);
    [encoder endEncoding];
    [commands commit];
    [commands waitUntilCompleted];
    EXPECT_EQ(seen, 7u);
    EXPECT_EQ(status, MTLCommandBufferStatusCompleted);
    [commands addCompletedHandler:^(id<MTLCommandBuffer>){
    }];
    expect_failure(FailureKind::kApiUse, "addCompletedHandler after the command buffer was committed");
  }
}

TEST_F(Queues, LetAHostWaitForAHandler) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0});
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    struct Done {
      std::mutex lock;
      std::condition_variable changed;
      bool done = false;
    } state;
    Done* shared = &state;
    [commands addCompletedHandler:^(id<MTLCommandBuffer>) {
      const std::lock_guard guard(shared->lock);
      shared->done = true;
      shared->changed.notify_all();
    }];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    increase(encoder, a, 7);
    [encoder endEncoding];
    [commands commit];
    {
      std::unique_lock guard(state.lock);
      state.changed.wait(guard, [&] { return state.done; });
    }
    [commands waitUntilCompleted];
    EXPECT_EQ(values_of(a)[0], 7u);
  }
}

TEST_F(Queues, LetTheHostWriteInMidSubmission) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0}, "sums");
    std::vector<std::string> kernels;
    set_before_dispatch([&](const DispatchView& view) {
      kernels.push_back(view.kernel);
      if (view.submission == 1 && view.index == 2)
        static_cast<std::uint32_t*>(view.buffers[0].data)[0] = 1000;
    });
    std::uint64_t written = 0;
    set_after_dispatch([&](const DispatchView& view) {
      EXPECT_EQ(*view.buffers[0].label, "sums");
      written += view.buffers[0].bytes_written;
    });
    [submit(a, 1, 4) waitUntilCompleted];
    EXPECT_EQ(values_of(a)[0], 1002u);
    EXPECT_EQ(kernels, std::vector<std::string>(4, "increase"));
    EXPECT_EQ(written, 16u);
  }
}

TEST_F(Queues, RunThreadsInTheOrderOfATest) {
  const auto order_of = [&](Order order) {
    Schedule schedule;
    schedule.threads = order;
    set_schedule(schedule);
    id<MTLBuffer> places = buffer({0, 9, 9, 9, 9});
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setComputePipelineState:pipeline("note_order")];
    [encoder setBuffer:places offset:0 atIndex:0];
    [encoder dispatchThreadgroups:MTLSizeMake(4, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
    [encoder endEncoding];
    [commands commit];
    [commands waitUntilCompleted];
    return std::vector<std::uint32_t>(values_of(places) + 1, values_of(places) + 5);
  };
  @autoreleasepool {
    EXPECT_EQ(order_of(Order::ascending()), (std::vector<std::uint32_t>{0, 1, 2, 3}));
    EXPECT_EQ(order_of(Order::descending()), (std::vector<std::uint32_t>{3, 2, 1, 0}));
    std::set<std::vector<std::uint32_t>> seen;
    for (std::uint32_t seed = 1; seed <= 20; seed++) seen.insert(order_of(Order::seeded(seed)));
    EXPECT_GT(seen.size(), 3u);
  }
}

TEST_F(Queues, TellTheTimeOfATest) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0});
    set_gpu_clock([](const DispatchView&) { return 0.25; });
    id<MTLCommandBuffer> commands = submit(a, 1, 4);
    [commands waitUntilCompleted];
    EXPECT_EQ(commands.GPUEndTime - commands.GPUStartTime, 1.0);
  }
}

TEST_F(Queues, WaitForEventsOfOtherQueuesAndOfTheHost) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0});
    id<MTLSharedEvent> event = [device newSharedEvent];
    id<MTLCommandQueue> other = [device newCommandQueue];
    id<MTLCommandBuffer> waits = [queue commandBuffer];
    [waits encodeWaitForEvent:event value:2];
    id<MTLComputeCommandEncoder> encoder = [waits computeCommandEncoder];
    twice(encoder, a);
    [encoder endEncoding];
    [waits commit];
    id<MTLCommandBuffer> signals = [other commandBuffer];
    encoder = [signals computeCommandEncoder];
    increase(encoder, a, 3);
    [encoder endEncoding];
    [signals encodeSignalEvent:event value:1];
    [signals commit];
    EXPECT_TRUE([event waitUntilSignaledValue:1 timeoutMS:60000]);
    EXPECT_FALSE([event waitUntilSignaledValue:2 timeoutMS:1]);
    event.signaledValue = 2;
    [waits waitUntilCompleted];
    [signals waitUntilCompleted];
    EXPECT_EQ(values_of(a)[0], 6u);
    event.signaledValue = 1;
    expect_failure(FailureKind::kApiUse, "set back");
  }
}

TEST_F(Queues, NameAnEventThatNobodySignals) {
  Schedule schedule;
  schedule.execution = Execution::kAtWait;
  set_schedule(schedule);
  @autoreleasepool {
    id<MTLEvent> event = [device newEvent];
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    [commands encodeWaitForEvent:event value:1];
    [commands commit];
    [commands waitUntilCompleted];
    EXPECT_EQ(commands.error.code, (NSInteger)MTLCommandBufferErrorTimeout);
    expect_failure(FailureKind::kDeadlock, "nothing before it signals");
  }
}
