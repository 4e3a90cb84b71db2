// The encoder loop: what it says to Metal, and what it leaves alone.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "device/metal/encoder.h"
#include "device/small_model.h"
#include "device_fixture.h"

namespace {

// Allocations of the whole program pass here: counted where a test asks for it, and given pages of their own.
thread_local bool counting = false;
thread_local long allocations = 0;
thread_local std::size_t own_pages_from = ~std::size_t{0};  // bytes
void* own_pages = nullptr;
std::size_t own_bytes = 0;

void* allocate(std::size_t bytes) {
  if (counting) ++allocations;
  if (bytes >= own_pages_from) {
    own_pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    own_bytes = bytes;
    return own_pages;
  }
  void* memory = std::malloc(bytes != 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void deallocate(void* memory) noexcept {
  if (memory != nullptr && memory == own_pages) {
    munmap(own_pages, own_bytes);
    own_pages = nullptr;
  } else {
    std::free(memory);
  }
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocate(bytes);
}
void* operator new[](std::size_t bytes) {
  return allocate(bytes);
}
void operator delete(void* memory) noexcept {
  deallocate(memory);
}
void operator delete[](void* memory) noexcept {
  deallocate(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  deallocate(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  deallocate(memory);
}

namespace {

constexpr std::size_t kMostCalls = 64;

// A call of an encoder, as far as the loop differs from one to the next.
struct Call {
  char what;  // p: pipeline, b: buffer, y: bytes, d: dispatch, i: indirect dispatch, |: barrier, m:
              // threadgroup memory
  std::uint64_t index;
  std::uint64_t value;  // an offset, a length, the width of a grid, or the u32 at byte 4 of the parameters
};

}  // namespace

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wprotocol"
@interface NotingEncoder : NSObject <MTLComputeCommandEncoder> {
 @public
  Call _calls[kMostCalls];
  std::size_t _count;
}
@end

@implementation NotingEncoder
@synthesize dispatchType, label, device;
- (void)note:(Call)call {
  if (_count < kMostCalls) _calls[_count++] = call;
}
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state {
  [self note:{'p', 0, 0}];
}
- (void)setBytes:(const void*)bytes length:(NSUInteger)length atIndex:(NSUInteger)index {
  std::uint32_t words[2] = {};
  std::memcpy(words, bytes, length < sizeof(words) ? length : sizeof(words));
  [self note:{'y', index, length > 4 ? words[1] : words[0]}];
}
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index {
  [self note:{'b', index, offset}];
}
- (void)setThreadgroupMemoryLength:(NSUInteger)length atIndex:(NSUInteger)index {
  [self note:{'m', index, length}];
}
- (void)dispatchThreadgroups:(MTLSize)grid threadsPerThreadgroup:(MTLSize)threads {
  [self note:{'d', threads.width, grid.width}];
}
- (void)dispatchThreadgroupsWithIndirectBuffer:(id<MTLBuffer>)buffer
                          indirectBufferOffset:(NSUInteger)offset
                         threadsPerThreadgroup:(MTLSize)threads {
  [self note:{'i', threads.width, offset}];
}
- (void)memoryBarrierWithScope:(MTLBarrierScope)scope {
  [self note:{'|', 0, scope}];
}
@end
#pragma clang diagnostic pop

namespace emberline::testing {
namespace {

using metal::EncodedCommand;

class Encoding : public SimulatedMac {
 protected:
  Encoding() {
    commands_[0].pipeline = 0;
    commands_[0].threads = 64;
    commands_[0].grid = {3, 1, 1};
    commands_[0].bind_first = 0b101;
    commands_[0].bind_again = 0b001;
    commands_[0].param_bytes = 8;
    commands_[0].position_at = 4;
    commands_[0].bindings[0] = {0, 16};
    commands_[0].bindings[2] = {0, 32};
    commands_[1] = commands_[0];
    commands_[1].barrier = false;
    commands_[1].set_pipeline_first = commands_[1].set_pipeline_again = false;
    commands_[1].bind_first = commands_[1].bind_again = 0;
    commands_[1].position_at = metal::kNotPatched;
    commands_[1].threadgroup_bytes = 128;
  }

  // Each call as text: "b2@32 ".
  std::string encode(std::uint32_t steps, bool indirect = false) {
    NotingEncoder* encoder = [NotingEncoder new];
    id<MTLDevice> device = MTLCreateSystemDefaultDevice();
    id<MTLBuffer> memory = [device newBufferWithLength:64 options:MTLResourceStorageModeShared];
    __strong id<MTLBuffer> buffers[] = {memory};
    __strong id<MTLComputePipelineState> pipelines[] = {nil};
    const metal::Encoding encoding{commands_, pipelines, buffers, memory, indirect ? memory : nil,
                                   10,        1,         steps};
    metal::encode(encoder, encoding);  // the runtime looks each method up when it is called first
    encoder->_count = 0;
    allocations = 0;
    counting = true;
    metal::encode(encoder, encoding);
    counting = false;
    EXPECT_EQ(allocations, 0);
    std::string text;
    for (std::size_t i = 0; i < encoder->_count; ++i) {
      const Call& call = encoder->_calls[i];
      text += call.what + std::to_string(call.index) + "@" + std::to_string(call.value) + " ";
    }
    return text;
  }

  std::vector<EncodedCommand> commands_{2};
};

TEST_F(Encoding, BindsAndPatchesStepByStep) {
  EXPECT_EQ(encode(2),
            "b1@0 y29@1 "                    // the chain's state, the rows
            "p0@0 b2@16 b4@32 y0@10 d64@3 "  // step 0: all is bound; position 10
            "y0@0 m0@128 d64@3 "             // no barrier; nothing patched
            "|0@1 p0@0 b2@16 y0@11 d64@3 "   // step 1: a barrier; position 11; what changed
            "y0@0 m0@128 d64@3 ");
}

TEST_F(Encoding, TakesIndirectGridsFromMemory) {
  EXPECT_EQ(encode(1, true),
            "b1@0 y29@1 b30@0 "
            "p0@0 b2@16 b4@32 y0@10 i64@4 "  // behind the count
            "y0@0 m0@128 i64@16 ");
}

// Labels are for profilers and messages: they lie on pages that cannot be read while the table is replayed.
TEST_F(Encoding, LeavesLabelsAlone) {
  const auto device = metal_device();
  SmallModel model(*device, TensorType::kQ4_0);
  model.set_tokens({1});
  auto& labels = model.table().table().labels;
  std::vector<std::string> guarded;
  own_pages_from = 1 << 16;
  guarded.reserve((1 << 17) / sizeof(std::string));
  own_pages_from = ~std::size_t{0};
  ASSERT_NE(own_pages, nullptr);
  guarded = labels;
  labels.swap(guarded);
  ASSERT_EQ(static_cast<void*>(labels.data()), own_pages);
  ASSERT_EQ(mprotect(own_pages, own_bytes, PROT_NONE), 0);
  Replay request;
  request.steps = 2;
  const auto outcome = model.table().replay(request);
  ASSERT_EQ(mprotect(own_pages, own_bytes, PROT_READ | PROT_WRITE), 0);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().steps_completed, 2u);
}

// One layer: norm+QKV+RoPE+KV write, attention, output, norm+gate+up, down; and embedding, output matrix,
// argmax.
TEST_F(Encoding, TakesFiveDispatchesALayer) {
  const auto device = metal_device();
  SmallModel model(*device, TensorType::kQ4_0);
  model.set_tokens({1});
  metal_sim::clear_counts();
  Replay request;
  request.steps = 6;
  ASSERT_TRUE(model.table().replay(request).ok());
  const metal_sim::Counts counts = metal_sim::counts();
  EXPECT_EQ(counts.dispatches, 6u * (5 + 3));
  EXPECT_EQ(counts.submissions, 1u);
  EXPECT_EQ(counts.encoders, 1u);
  EXPECT_EQ(counts.waits, 1u);
  EXPECT_EQ(counts.contents_in_flight, 0u);
  EXPECT_EQ(counts.barriers, counts.dispatches - 1);  // each command reads what the one before wrote
}

// What a table says of itself is what is counted when it runs.
TEST_F(Encoding, DescribesItsDispatches) {
  const auto device = metal_device();
  SmallModel model(*device, TensorType::kQ4_0, 20);
  const DispatchTable& table = model.table().table();
  for (std::uint32_t rows : {1u, 4u, 20u}) {
    SCOPED_TRACE(rows);
    model.set_tokens(std::vector<std::uint32_t>(rows, 3));
    const auto dispatches = device->describe(table, rows);
    metal_sim::clear_counts();
    Replay request;
    request.rows = rows;
    ASSERT_TRUE(model.table().replay(request).ok());
    const metal_sim::Counts counts = metal_sim::counts();
    EXPECT_EQ(dispatches.size(), counts.dispatches);
    std::uint64_t threadgroups = 0, ran = 0, weight_bytes = 0;
    for (const DispatchDescription& dispatch : dispatches) {
      threadgroups += dispatch.threadgroups[0] * dispatch.threadgroups[1] * dispatch.threadgroups[2];
      weight_bytes += dispatch.traffic.weights;
      EXPECT_EQ(counts.kernels.count(dispatch.kernel), 1u) << dispatch.kernel;
    }
    for (const auto& [name, kernel] : counts.kernels) ran += kernel.threadgroups;
    EXPECT_EQ(threadgroups, ran);
    // Every weight byte once; a matrix product of many rows reads a weight once a tile of them.
    if (rows <= 16) {
      EXPECT_EQ(weight_bytes, counts.traffic_of("matrices").bytes_read);
    }
  }
  EXPECT_EQ(device->describe(table, 1).front().patch, Patch::kTokenOffset);
  EXPECT_TRUE(device->describe(table, 21).empty());
  EXPECT_TRUE(device->describe(DispatchTable{}, 1).empty());
}

}  // namespace
}  // namespace emberline::testing
