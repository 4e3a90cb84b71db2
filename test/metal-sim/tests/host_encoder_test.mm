// What encoders accept, and that they refuse what Metal's API validation would stop at.
#include "tests/host_gpu.h"

using namespace emberline::metal_sim;

namespace {

class Encoders : public SimulatedGpu {
 protected:
  void SetUp() override {
    SimulatedGpu::SetUp();
    @autoreleasepool {
      commands = [queue commandBuffer];
      encoder = [commands computeCommandEncoder];
    }
  }
  void TearDown() override {
    [encoder endEncoding];
    encoder = nil;
    commands = nil;
    SimulatedGpu::TearDown();
  }
  void run() {
    [encoder endEncoding];
    [commands commit];
    [commands waitUntilCompleted];
    encoder = nil;
  }
  void dispatch_one() {
    [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
  }
  void expect_refused(const std::string& part) { expect_failure(FailureKind::kApiUse, part); }

  id<MTLCommandBuffer> commands = nil;
  id<MTLComputeCommandEncoder> encoder = nil;
};

}  // namespace

TEST_F(Encoders, RunWhatTheyWereGiven) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({1, 2, 3, 4}), in = buffer({0, 0, 10, 20, 30, 40});
    const std::uint32_t amount = 100;
    [encoder setComputePipelineState:pipeline("add")];
    [encoder setBuffer:a offset:0 atIndex:0];
    [encoder setBuffer:in offset:0 atIndex:1];
    [encoder setBufferOffset:8 atIndex:1];
    [encoder setBytes:&amount length:sizeof amount atIndex:2];
    [encoder dispatchThreads:MTLSizeMake(3, 1, 1) threadsPerThreadgroup:MTLSizeMake(2, 1, 1)];
    run();
    EXPECT_EQ(commands.status, MTLCommandBufferStatusCompleted);
    EXPECT_EQ(commands.error, nil);
    EXPECT_EQ(values_of(a)[0], 111u);
    EXPECT_EQ(values_of(a)[2], 133u);
    EXPECT_EQ(values_of(a)[3], 4u);
    const Counts counted = counts();
    EXPECT_EQ(counted.dispatches, 1u);
    EXPECT_EQ(counted.submissions, 1u);
    EXPECT_EQ(counted.waits, 1u);
    EXPECT_EQ(counted.kernels.at("add").dispatches, 1u);
  }
}

TEST_F(Encoders, CountTheBytesOfEveryBuffer) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({1, 2, 3, 4}, "sums"), in = buffer({5, 6, 7, 8}, "weights");
    const std::uint32_t amount = 0;
    [encoder setComputePipelineState:pipeline("add")];
    [encoder setBuffer:a offset:0 atIndex:0];
    [encoder setBuffer:in offset:0 atIndex:1];
    [encoder setBytes:&amount length:sizeof amount atIndex:2];
    [encoder dispatchThreadgroups:MTLSizeMake(2, 1, 1) threadsPerThreadgroup:MTLSizeMake(2, 1, 1)];
    run();
    EXPECT_EQ(counts().traffic_of("weights").bytes_read, 16u);
    EXPECT_EQ(counts().traffic_of("weights").bytes_written, 0u);
    EXPECT_EQ(counts().traffic_of("sums").bytes_read, 16u);
    EXPECT_EQ(counts().traffic_of("sums").bytes_written, 16u);
    clear_counts();
    EXPECT_EQ(counts().traffic_of("weights").bytes_read, 0u);
  }
}

TEST_F(Encoders, CopyBytesWhenTheyAreSet) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0});
    std::uint32_t amount = 1;
    [encoder setComputePipelineState:pipeline("increase")];
    [encoder setBuffer:a offset:0 atIndex:0];
    for (amount = 1; amount <= 1000; amount++) {
      [encoder setBytes:&amount length:sizeof amount atIndex:1];
      dispatch_one();
    }
    run();
    EXPECT_EQ(values_of(a)[0], 500500u);
  }
}

TEST_F(Encoders, RefuseANumberOfBytes) {
  @autoreleasepool {
    std::vector<char> bytes(5000);
    [encoder setBytes:bytes.data() length:4096 atIndex:0];
    [encoder setBytes:bytes.data() length:4097 atIndex:0];
    expect_refused("setBytes with 4097 bytes");
    [encoder setBytes:bytes.data() length:0 atIndex:0];
    expect_refused("setBytes with 0 bytes");
    [encoder setBytes:bytes.data() length:4 atIndex:31];
    expect_refused("index 31");
  }
}

TEST_F(Encoders, RefuseAnOffsetBehindTheEnd) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({1, 2});
    [encoder setBuffer:a offset:8 atIndex:0];
    expect_refused("offset behind the end");
    [encoder setBuffer:a offset:4 atIndex:0];
    [encoder setBufferOffset:8 atIndex:0];
    expect_refused("behind the buffer's end");
    [encoder setBufferOffset:0 atIndex:5];
    expect_refused("where no buffer is set");
    [encoder setBuffer:a offset:0 atIndex:31];
    expect_refused("index 31");
  }
}

TEST_F(Encoders, RefuseADispatchWithAnUnboundBuffer) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({1});
    [encoder setComputePipelineState:pipeline("increase")];
    [encoder setBuffer:a offset:0 atIndex:0];
    dispatch_one();
    expect_refused("nothing at buffer index 1 ('amount')");
    const std::uint32_t amount = 1;
    [encoder setBytes:&amount length:4 atIndex:1];
    [encoder setBuffer:nil offset:0 atIndex:0];
    dispatch_one();
    expect_refused("nothing at buffer index 0 ('a')");
  }
}

TEST_F(Encoders, AskForAnOptionalBufferWhereItIsThere) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({1});
    for (const bool bias : {false, true}) {
      MTLFunctionConstantValues* values = [[MTLFunctionConstantValues alloc] init];
      const std::uint32_t step = 5;
      [values setConstantValue:&bias type:MTLDataTypeBool atIndex:0];
      [values setConstantValue:&step type:MTLDataTypeUInt atIndex:1];
      id<MTLFunction> function = [library newFunctionWithName:@"optional_bias"
                                               constantValues:values
                                                        error:nullptr];
      [encoder setComputePipelineState:[device newComputePipelineStateWithFunction:function error:nullptr]];
      [encoder setBuffer:a offset:0 atIndex:0];
      dispatch_one();
      if (bias) expect_refused("nothing at buffer index 1 ('bias')");
    }
    run();
    EXPECT_EQ(values_of(a)[0], 6u);
  }
}

TEST_F(Encoders, RefuseADispatchWithoutAPipelineOrOfAWrongSize) {
  @autoreleasepool {
    dispatch_one();
    expect_refused("without a pipeline");
    id<MTLBuffer> a = buffer({1});
    [encoder setComputePipelineState:pipeline("twice")];
    [encoder setBuffer:a offset:0 atIndex:0];
    [encoder dispatchThreadgroups:MTLSizeMake(0, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
    expect_refused("empty grid");
    [encoder dispatchThreads:MTLSizeMake(1, 0, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
    expect_refused("empty grid");
    [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 0, 1)];
    expect_refused("0 threads a threadgroup");
    [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(32, 33, 1)];
    expect_refused("1056 threads a threadgroup");
  }
}

TEST_F(Encoders, HoldAPipelineToItsPromise) {
  @autoreleasepool {
    MTLComputePipelineDescriptor* descriptor = [[MTLComputePipelineDescriptor alloc] init];
    descriptor.computeFunction = [library newFunctionWithName:@"twice"];
    descriptor.label = @"doubling";
    descriptor.threadGroupSizeIsMultipleOfThreadExecutionWidth = YES;
    descriptor.maxTotalThreadsPerThreadgroup = 64;
    id<MTLComputePipelineState> made = [device newComputePipelineStateWithDescriptor:descriptor
                                                                             options:MTLPipelineOptionNone
                                                                          reflection:nil
                                                                               error:nullptr];
    EXPECT_EQ(made.maxTotalThreadsPerThreadgroup, 64u);
    EXPECT_EQ(made.threadExecutionWidth, 32u);
    id<MTLBuffer> a = [device newBufferWithLength:512 options:MTLResourceStorageModeShared];
    [encoder setComputePipelineState:made];
    [encoder setBuffer:a offset:0 atIndex:0];
    [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(33, 1, 1)];
    expect_refused("'doubling' was promised");
    [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(96, 1, 1)];
    expect_refused("96 threads");
    [encoder dispatchThreadgroups:MTLSizeMake(2, 1, 1) threadsPerThreadgroup:MTLSizeMake(64, 1, 1)];
    run();
    EXPECT_EQ(counts().kernels.at("doubling").threadgroups, 2u);
  }
}

TEST_F(Encoders, HoldThreadgroupMemoryToItsRules) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({1, 2, 3, 4});
    const auto dispatch = [&] {
      [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(4, 1, 1)];
    };
    [encoder setComputePipelineState:pipeline("staged")];
    [encoder setBuffer:a offset:0 atIndex:0];
    dispatch();
    expect_refused("without the length of threadgroup memory 'stage'");
    [encoder setThreadgroupMemoryLength:20 atIndex:0];
    expect_refused("not a multiple of 16");
    [encoder setThreadgroupMemoryLength:32784 atIndex:0];
    dispatch();
    expect_refused("32784 bytes of threadgroup memory");
    // What was set for one kernel may count beside what the next declares.
    [encoder setThreadgroupMemoryLength:16400 atIndex:0];
    [encoder setComputePipelineState:pipeline("staged_statically")];
    dispatch();
    expect_refused("32784 bytes of threadgroup memory");
    [encoder setComputePipelineState:pipeline("staged")];
    [encoder setThreadgroupMemoryLength:16 atIndex:0];
    dispatch();
    run();
    EXPECT_EQ(values_of(a)[0], 4u);
    EXPECT_EQ(values_of(a)[3], 1u);
  }
}

TEST_F(Encoders, AreOfNoUseAfterTheirEnd) {
  @autoreleasepool {
    id<MTLBuffer> a = buffer({1});
    id<MTLComputeCommandEncoder> ended = encoder;
    [encoder endEncoding];
    encoder = nil;
    [ended setBuffer:a offset:0 atIndex:0];
    expect_refused("setBuffer after endEncoding");
    [ended memoryBarrierWithScope:MTLBarrierScopeBuffers];
    expect_refused("memoryBarrierWithScope after endEncoding");
    [ended endEncoding];
    expect_refused("endEncoding after endEncoding");
  }
}

TEST_F(Encoders, HaveToEndBeforeTheyAreReleasedAndBeforeTheNext) {
  @autoreleasepool {
    EXPECT_EQ([commands computeCommandEncoder], nil);
    expect_refused("while another of the command buffer has not ended");
    [commands commit];
    expect_refused("commit while an encoder has not ended");
  }
  encoder = nil;
  expect_refused("released without endEncoding");
}

TEST_F(Encoders, StopTheProgramUnlessATestRecords) {
  EXPECT_DEATH(
      {
        set_failure_policy(FailurePolicy::kAbort);
        [encoder setBuffer:nil offset:0 atIndex:31];
      },
      "simulated Metal, API use: setBuffer at index 31");
}

TEST_F(Encoders, CopyAndFill) {
  @autoreleasepool {
    [encoder endEncoding];
    encoder = nil;
    id<MTLBuffer> from = buffer({1, 2, 3, 4}), to = buffer({0, 0, 0, 0});
    id<MTLBlitCommandEncoder> copies = [commands blitCommandEncoder];
    [copies copyFromBuffer:from sourceOffset:4 toBuffer:to destinationOffset:8 size:8];
    [copies fillBuffer:to range:NSMakeRange(0, 4) value:1];
    [copies copyFromBuffer:from sourceOffset:12 toBuffer:to destinationOffset:8 size:8];
    expect_refused("behind the end");
    [copies copyFromBuffer:from sourceOffset:2 toBuffer:to destinationOffset:8 size:4];
    expect_refused("multiples of 4");
    [copies copyFromBuffer:to sourceOffset:0 toBuffer:to destinationOffset:4 size:8];
    expect_refused("overlap");
    [copies endEncoding];
    [commands commit];
    [commands waitUntilCompleted];
    EXPECT_EQ(values_of(to)[0], 0x01010101u);
    EXPECT_EQ(values_of(to)[2], 2u);
    EXPECT_EQ(values_of(to)[3], 3u);
  }
}
