// The order of dispatches: what barriers promise, and what a program without them gets.
#include <set>

#include "tests/host_gpu.h"

using namespace emberline::metal_sim;

namespace {

class Barriers : public SimulatedGpu {
 protected:
  // Encodes with `write` into one concurrent encoder, under a seed, and runs it.
  template <typename Write>
  void run(std::uint64_t seed, Write write, bool shuffle = true) {
    Schedule schedule;
    schedule.shuffle_dispatches = shuffle;
    schedule.seed = seed;
    schedule.find_missing_barriers = find;
    set_schedule(schedule);
    @autoreleasepool {
      id<MTLCommandBuffer> commands = [queue commandBuffer];
      id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoderWithDispatchType:type];
      write(encoder);
      [encoder endEncoding];
      [commands commit];
      [commands waitUntilCompleted];
      EXPECT_EQ(commands.status, MTLCommandBufferStatusCompleted);
    }
  }
  // The values that (0 + 3) * 2 comes to under many seeds.
  template <typename Between>
  std::set<std::uint32_t> results(Between between) {
    std::set<std::uint32_t> seen;
    for (std::uint64_t seed = 0; seed < 20; seed++) {
      @autoreleasepool {
        id<MTLBuffer> a = buffer({0}, "a"), other = buffer({0}, "other");
        run(seed, [&](id<MTLComputeCommandEncoder> encoder) {
          increase(encoder, a, 3);
          between(encoder, a, other);
          twice(encoder, a);
        });
        seen.insert(values_of(a)[0]);
      }
    }
    return seen;
  }

  bool find = false;
  MTLDispatchType type = MTLDispatchTypeConcurrent;
};

}  // namespace

TEST_F(Barriers, OrderWhatFollows) {
  EXPECT_EQ(results([](id<MTLComputeCommandEncoder> encoder, id<MTLBuffer>, id<MTLBuffer>) {
              [encoder memoryBarrierWithScope:MTLBarrierScopeBuffers];
            }),
            std::set<std::uint32_t>{6});
}

TEST_F(Barriers, ThatAreMissingShowUnderShuffling) {
  EXPECT_EQ(results([](id<MTLComputeCommandEncoder>, id<MTLBuffer>, id<MTLBuffer>) {}),
            (std::set<std::uint32_t>{3, 6}));
}

TEST_F(Barriers, OfTexturesDoNotOrderBuffers) {
  EXPECT_EQ(results([](id<MTLComputeCommandEncoder> encoder, id<MTLBuffer>, id<MTLBuffer>) {
              [encoder memoryBarrierWithScope:MTLBarrierScopeTextures];
            }),
            (std::set<std::uint32_t>{3, 6}));
}

TEST_F(Barriers, OfAResourceOrderItsUsersAlone) {
  EXPECT_EQ(results([](id<MTLComputeCommandEncoder> encoder, id<MTLBuffer> a, id<MTLBuffer>) {
              [encoder memoryBarrierWithResources:&a count:1];
            }),
            std::set<std::uint32_t>{6});
  EXPECT_EQ(results([](id<MTLComputeCommandEncoder> encoder, id<MTLBuffer>, id<MTLBuffer> other) {
              [encoder memoryBarrierWithResources:&other count:1];
            }),
            (std::set<std::uint32_t>{3, 6}));
}

TEST_F(Barriers, AreNotNeededInASerialEncoder) {
  type = MTLDispatchTypeSerial;
  find = true;
  EXPECT_EQ(results([](id<MTLComputeCommandEncoder>, id<MTLBuffer>, id<MTLBuffer>) {}),
            std::set<std::uint32_t>{6});
}

TEST_F(Barriers, ThatAreMissingAreNamedInAnyOrder) {
  find = true;
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0}, "activations"), b = buffer({0}, "others");
    run(
        0,
        [&](id<MTLComputeCommandEncoder> encoder) {
          increase(encoder, a, 3);
          increase(encoder, b, 3);
        },
        false);
    EXPECT_TRUE(take_failures().empty());
    run(
        0,
        [&](id<MTLComputeCommandEncoder> encoder) {
          increase(encoder, a, 3);
          increase(encoder, b, 3);
          twice(encoder, a);
        },
        false);
    expect_failure(FailureKind::kMissingBarrier,
                   "'increase' writes buffer 'activations', bound at offset 0, and 'twice' writes it");
  }
}

TEST_F(Barriers, AreNotNeededAmongReaders) {
  find = true;
  @autoreleasepool {
    id<MTLBuffer> weights = buffer({1}, "weights"), a = buffer({0}), b = buffer({0});
    run(1, [&](id<MTLComputeCommandEncoder> encoder) {
      for (id<MTLBuffer> out : {a, b}) {
        const std::uint32_t amount = 1;
        [encoder setComputePipelineState:pipeline("add")];
        [encoder setBuffer:out offset:0 atIndex:0];
        [encoder setBuffer:weights offset:0 atIndex:1];
        [encoder setBytes:&amount length:4 atIndex:2];
        [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
      }
    });
    EXPECT_EQ(values_of(a)[0], 2u);
    EXPECT_EQ(values_of(b)[0], 2u);
  }
}

TEST_F(Barriers, AreNotNeededBetweenEncoders) {
  find = true;
  Schedule schedule;
  schedule.shuffle_dispatches = true;
  set_schedule(schedule);
  @autoreleasepool {
    id<MTLBuffer> a = buffer({0});
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    for (int i = 0; i < 2; i++) {
      id<MTLComputeCommandEncoder> encoder =
          [commands computeCommandEncoderWithDispatchType:MTLDispatchTypeConcurrent];
      i == 0 ? increase(encoder, a, 3) : twice(encoder, a);
      [encoder endEncoding];
    }
    [commands commit];
    [commands waitUntilCompleted];
    EXPECT_EQ(values_of(a)[0], 6u);
  }
}

class IndirectDispatches : public Barriers {
 protected:
  // A kernel writes how many groups the next dispatch has.
  void encode(id<MTLComputeCommandEncoder> encoder, id<MTLBuffer> grids, std::uint32_t groups,
              id<MTLBuffer> a, bool barrier) {
    [encoder setComputePipelineState:pipeline("write_grid")];
    [encoder setBuffer:grids offset:4 atIndex:0];
    [encoder setBytes:&groups length:4 atIndex:1];
    [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
    if (barrier) [encoder memoryBarrierWithScope:MTLBarrierScopeBuffers];
    [encoder setComputePipelineState:pipeline("twice")];
    [encoder setBuffer:a offset:0 atIndex:0];
    [encoder dispatchThreadgroupsWithIndirectBuffer:grids
                               indirectBufferOffset:4
                              threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
  }
};

TEST_F(IndirectDispatches, ReadTheirGridWhenTheyRun) {
  @autoreleasepool {
    for (const std::uint32_t groups : {0u, 1u, 3u}) {
      clear_counts();
      id<MTLBuffer> grids = buffer({9, 9, 9, 9}), a = buffer({1, 1, 1, 1});
      run(groups, [&](id<MTLComputeCommandEncoder> encoder) { encode(encoder, grids, groups, a, true); });
      for (std::uint32_t i = 0; i < 4; i++) EXPECT_EQ(values_of(a)[i], i < groups ? 2u : 1u);
      EXPECT_EQ(counts().indirect_dispatches, 1u);
      EXPECT_EQ(counts().empty_dispatches, groups == 0 ? 1u : 0u);
      EXPECT_EQ(counts().kernels["twice"].threadgroups, groups);
    }
  }
}

TEST_F(IndirectDispatches, NeedABarrierBehindWhoWritesTheGrid) {
  find = true;
  @autoreleasepool {
    id<MTLBuffer> grids = buffer({9, 1, 1, 1}, "grids"), a = buffer({1, 1, 1, 1});
    run(0, [&](id<MTLComputeCommandEncoder> encoder) { encode(encoder, grids, 2, a, false); }, false);
    expect_failure(FailureKind::kMissingBarrier, "'write_grid' writes buffer 'grids'");
  }
}

TEST_F(IndirectDispatches, HoldTheirOffsetToItsRules) {
  @autoreleasepool {
    id<MTLBuffer> grids = buffer({1, 1, 1, 1}, "grids"), a = buffer({1});
    run(0, [&](id<MTLComputeCommandEncoder> encoder) {
      [encoder setComputePipelineState:pipeline("twice")];
      [encoder setBuffer:a offset:0 atIndex:0];
      for (const NSUInteger offset : {2, 8}) {
        [encoder dispatchThreadgroupsWithIndirectBuffer:grids
                                   indirectBufferOffset:offset
                                  threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
        expect_failure(FailureKind::kApiUse,
                       offset == 2 ? "not a multiple of 4" : "behind the end of 'grids'");
      }
    });
  }
}
