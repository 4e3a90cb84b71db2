// Compiled without ARC: the list keeps what it uses.
#include "host/api/compute_encoder.h"

#include <array>
#include <cstring>

#include "host/api/buffer.h"
#include "host/api/pipeline.h"
#include "host/control/failures.h"

using namespace emberline::metal_sim;

namespace {

// What is set at one index of the buffer argument table.
struct Slot {
  bool set = false;
  Memory* memory = nullptr;  // null: bytes in the list
  std::uint64_t offset = 0, bytes = 0;
};

constexpr NSUInteger kMostBytes =
    4096;  // setBytes is for a single use of less than 4 KiB; more wants a buffer
constexpr NSUInteger kThreadgroupAlignment = 16;
constexpr NSUInteger kIndirectAlignment = 4;

void misuse(const std::string& sentence) {
  report_failure(FailureKind::kApiUse, sentence);
}

std::string numbered(const char* before, NSUInteger number, const std::string& after) {
  return before + std::to_string(number) + after;
}

Size size_of(MTLSize size) {
  return {static_cast<std::uint32_t>(size.width), static_cast<std::uint32_t>(size.height),
          static_cast<std::uint32_t>(size.depth)};
}

bool is_empty(MTLSize size) {
  return size.width == 0 || size.height == 0 || size.depth == 0;
}

}  // namespace

@implementation SimulatedComputeEncoder {
  MTLDispatchType _type;
  SimulatedPipeline* _pipeline;
  std::array<Slot, kBufferSlots> _slots;
  std::array<std::uint32_t, kThreadgroupSlots> _threadgroupBytes;
}
@synthesize dispatchType = _type;

- (instancetype)initWithCommandBuffer:(SimulatedCommandBuffer*)buffer type:(MTLDispatchType)type {
  if ((self = [super initWithCommandBuffer:buffer])) _type = type;
  return self;
}

- (void)setComputePipelineState:(id<MTLComputePipelineState>)state {
  if (list_for(self, "setComputePipelineState") == nullptr) return;
  _pipeline = (SimulatedPipeline*)state;
  if (_pipeline == nil) return misuse("setComputePipelineState with nil");
  list->use(*_pipeline->code);
}

- (void)setBytes:(const void*)bytes length:(NSUInteger)length atIndex:(NSUInteger)index {
  if (list_for(self, "setBytes") == nullptr) return;
  if (index >= kBufferSlots) return misuse(numbered("setBytes at index ", index, ", beyond 30"));
  if (length == 0 || length > kMostBytes)
    return misuse(numbered("setBytes with ", length, " bytes; 1 to 4096 may be"));
  // Copied at once: the caller's memory is free to change.
  const std::size_t offset = (list->bytes.size() + 15) / 16 * 16;
  list->bytes.resize(offset + length);
  std::memcpy(list->bytes.data() + offset, bytes, length);
  _slots[index] = {true, nullptr, offset, length};
}

- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index {
  if (list_for(self, "setBuffer") == nullptr) return;
  if (index >= kBufferSlots) return misuse(numbered("setBuffer at index ", index, ", beyond 30"));
  if (buffer == nil) {
    _slots[index] = {};
    return;
  }
  Memory* memory = memory_of(buffer);
  // An offset lies inside the buffer.
  if (offset >= memory->bytes) {
    return misuse(
        numbered("setBuffer at index ", index, " with an offset behind the end of '" + memory->label + "'"));
  }
  list->use(*memory);
  _slots[index] = {true, memory, offset, memory->bytes - offset};
}

- (void)setBufferOffset:(NSUInteger)offset atIndex:(NSUInteger)index {
  if (list_for(self, "setBufferOffset") == nullptr) return;
  // Only where a buffer is set already.
  if (index >= kBufferSlots || _slots[index].memory == nullptr) {
    return misuse(numbered("setBufferOffset at index ", index, ", where no buffer is set"));
  }
  Slot& slot = _slots[index];
  if (offset >= slot.memory->bytes)
    return misuse(numbered("setBufferOffset at index ", index, " behind the buffer's end"));
  slot.offset = offset;
  slot.bytes = slot.memory->bytes - offset;
}

- (void)setBuffers:(const id<MTLBuffer> __unsafe_unretained[])buffers
           offsets:(const NSUInteger[])offsets
         withRange:(NSRange)range {
  for (NSUInteger i = 0; i < range.length; i++) {
    [self setBuffer:buffers[i] offset:offsets[i] atIndex:range.location + i];
  }
}

- (void)setThreadgroupMemoryLength:(NSUInteger)length atIndex:(NSUInteger)index {
  if (list_for(self, "setThreadgroupMemoryLength") == nullptr) return;
  if (index >= kThreadgroupSlots)
    return misuse(numbered("threadgroup memory at index ", index, ", beyond 30"));
  if (length % kThreadgroupAlignment != 0) {
    return misuse(numbered("threadgroup memory of ", length, " bytes, which is not a multiple of 16"));
  }
  _threadgroupBytes[index] = static_cast<std::uint32_t>(length);
}

// The pipeline's threadgroup memory, declared in the kernel and set here, fits in what the device has; so
// does what was set for kernels before this one, since Metal does not say that it no longer counts.
- (BOOL)appendThreadgroupLengths:(Command&)command {
  const KernelInfo& info = _pipeline->code->pipeline.info();
  command.first_length = static_cast<std::uint32_t>(list->lengths.size());
  NSUInteger total = info.static_threadgroup_bytes;
  for (const ThreadgroupParameter& parameter : info.threadgroup) {
    const std::uint32_t bytes = _threadgroupBytes[parameter.index];
    if (bytes == 0) {
      misuse("'" + info.name + "' was dispatched without the length of threadgroup memory '" +
             parameter.name + "'");
      return NO;
    }
    list->lengths.push_back({parameter.index, bytes});
  }
  command.lengths = static_cast<std::uint32_t>(list->lengths.size()) - command.first_length;
  for (const std::uint32_t bytes : _threadgroupBytes) total += bytes;
  const NSUInteger most = self.device.maxThreadgroupMemoryLength;
  if (total <= most) return YES;
  misuse("'" + info.name +
         numbered("' was dispatched with ", total, " bytes of threadgroup memory; the device has ") +
         std::to_string(most));
  return NO;
}

// Every buffer that the kernel declares, and its function constants leave there, is set.
- (BOOL)appendArguments:(Command&)command {
  command.first_argument = static_cast<std::uint32_t>(list->arguments.size());
  for (const BufferParameter& parameter : _pipeline->code->buffers) {
    const Slot& slot = _slots[parameter.index];
    if (!slot.set) {
      misuse("'" + _pipeline->code->label +
             numbered("' was dispatched with nothing at buffer index ", parameter.index, "") + " ('" +
             parameter.name + "')");
      return NO;
    }
    list->arguments.push_back({slot.memory, slot.offset, slot.bytes, parameter.index, parameter.writable});
  }
  command.arguments = static_cast<std::uint32_t>(list->arguments.size()) - command.first_argument;
  return YES;
}

- (void)dispatch:(Command)command threads:(MTLSize)threads as:(const char*)what {
  if (list_for(self, what) == nullptr) return;
  if (_pipeline == nil) return misuse(std::string(what) + " without a pipeline");
  const NSUInteger total = threads.width * threads.height * threads.depth;
  if (total == 0 || total > _pipeline->maxThreads) {
    return misuse("'" + _pipeline->code->label +
                  numbered("' was dispatched with ", total, " threads a threadgroup; 1 to ") +
                  std::to_string(_pipeline->maxThreads) + " may be");
  }
  if (_pipeline->threadsAreMultipleOfWidth && total % kSimdWidth != 0) {
    return misuse("'" + _pipeline->code->label +
                  "' was promised threadgroups of a multiple of 32 threads and dispatched with others");
  }
  if (![self appendArguments:command] || ![self appendThreadgroupLengths:command]) return;
  command.kind = CommandKind::kDispatch;
  command.code = _pipeline->code;
  command.threads = size_of(threads);
  list->commands.push_back(command);
  // A serial encoder waits for each dispatch before the next.
  if (_type == MTLDispatchTypeSerial) list->commands.push_back(barrier());
}

- (void)dispatchThreadgroups:(MTLSize)threadgroupsPerGrid
       threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup {
  if (is_empty(threadgroupsPerGrid)) return misuse("dispatchThreadgroups with an empty grid");
  Command command;
  command.grid = size_of(threadgroupsPerGrid);
  [self dispatch:command threads:threadsPerThreadgroup as:"dispatchThreadgroups"];
}

- (void)dispatchThreads:(MTLSize)threadsPerGrid threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup {
  if (is_empty(threadsPerGrid)) return misuse("dispatchThreads with an empty grid");
  Command command;
  command.grid_in_threads = true;
  command.grid = size_of(threadsPerGrid);
  [self dispatch:command threads:threadsPerThreadgroup as:"dispatchThreads"];
}

- (void)dispatchThreadgroupsWithIndirectBuffer:(id<MTLBuffer>)indirectBuffer
                          indirectBufferOffset:(NSUInteger)indirectBufferOffset
                         threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup {
  if (list_for(self, "dispatchThreadgroupsWithIndirectBuffer") == nullptr) return;
  if (indirectBuffer == nil) return misuse("an indirect dispatch without a buffer");
  Memory* memory = memory_of(indirectBuffer);
  // The offset is a multiple of 4 bytes, and three 32-bit sizes lie there.
  if (indirectBufferOffset % kIndirectAlignment != 0)
    return misuse("an indirect dispatch at an offset that is not a multiple of 4");
  if (indirectBufferOffset + sizeof(MTLDispatchThreadgroupsIndirectArguments) > memory->bytes) {
    return misuse("an indirect dispatch whose sizes lie behind the end of '" + memory->label + "'");
  }
  list->use(*memory);
  Command command;
  command.indirect = memory;
  command.indirect_offset = indirectBufferOffset;
  [self dispatch:command threads:threadsPerThreadgroup as:"dispatchThreadgroupsWithIndirectBuffer"];
}

- (void)memoryBarrierWithScope:(MTLBarrierScope)scope {
  if (list_for(self, "memoryBarrierWithScope") == nullptr) return;
  // Buffers are what kernels here share: a barrier of other scopes orders nothing.
  if ((scope & MTLBarrierScopeBuffers) == 0) return;
  list->commands.push_back(barrier());
  list->barriers++;
}

- (void)memoryBarrierWithResources:(const id<MTLResource> __unsafe_unretained[])resources
                             count:(NSUInteger)count {
  if (list_for(self, "memoryBarrierWithResources") == nullptr) return;
  Command command;
  command.kind = CommandKind::kResourceBarrier;
  command.first_resource = static_cast<std::uint32_t>(list->resources.size());
  command.resources = static_cast<std::uint32_t>(count);
  for (NSUInteger i = 0; i < count; i++) {
    Memory* memory = memory_of((id<MTLBuffer>)resources[i]);
    list->use(*memory);
    list->resources.push_back(memory);
  }
  list->commands.push_back(command);
  list->barriers++;
}

- (void)useResource:(id<MTLResource>)resource usage:(MTLResourceUsage)usage {
  if (list_for(self, "useResource") != nullptr) list->use(*memory_of((id<MTLBuffer>)resource));
}
@end
