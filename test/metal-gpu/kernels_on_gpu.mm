// What the tests of single kernels ask of the simulator (kernels/simulator.h), done by the GPU that Metal
// finds. The tests and this file are compiled with the simulator's namespace renamed, so that where Metal is
// simulated the two stay apart. Nothing is checked or counted here: what a kernel writes is all that there is
// to look at.
#import <Metal/Metal.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "device/metal/error_text.h"
#include "device/metal/kernel_library.h"
#include "kernels/simulator.h"

namespace emberline::metal_sim {

struct LoadedLibrary {
  id<MTLLibrary> library;
  std::vector<KernelInfo> kernels;
};

namespace {

struct Gpu {
  id<MTLDevice> device = MTLCreateSystemDefaultDevice();
  id<MTLCommandQueue> queue = [device newCommandQueue];
};

const Gpu& gpu() {
  static const Gpu gpu;
  return gpu;
}

MTLDataType data_type(ConstantType type) {
  switch (type) {
    case ConstantType::kBool: return MTLDataTypeBool;
    case ConstantType::kChar: return MTLDataTypeChar;
    case ConstantType::kUChar: return MTLDataTypeUChar;
    case ConstantType::kShort: return MTLDataTypeShort;
    case ConstantType::kUShort: return MTLDataTypeUShort;
    case ConstantType::kInt: return MTLDataTypeInt;
    case ConstantType::kUInt: return MTLDataTypeUInt;
    case ConstantType::kHalf: return MTLDataTypeHalf;
    case ConstantType::kFloat: return MTLDataTypeFloat;
  }
  return MTLDataTypeNone;
}

// For threadgroups of `threads` threads: what the compiler does not know of, it may not leave registers for.
Result<id<MTLComputePipelineState>> compile(const Pipeline& pipeline, NSUInteger threads) {
  MTLFunctionConstantValues* values = [MTLFunctionConstantValues new];
  for (const ConstantValue& value : pipeline.constants)
    [values setConstantValue:&value.bits type:data_type(value.type) atIndex:value.index];
  NSError* error = nil;
  id<MTLFunction> function = [pipeline.library.loaded()->library
      newFunctionWithName:[NSString stringWithUTF8String:pipeline.info().name.c_str()]
           constantValues:values
                    error:&error];
  if (function == nil) return Status(ErrorCode::kDeviceFailed, metal::error_text(error));
  MTLComputePipelineDescriptor* descriptor = [MTLComputePipelineDescriptor new];
  descriptor.computeFunction = function;
  descriptor.maxTotalThreadsPerThreadgroup = threads;
  id<MTLComputePipelineState> state =
      [gpu().device newComputePipelineStateWithDescriptor:descriptor
                                                  options:MTLPipelineOptionNone
                                               reflection:nil
                                                    error:&error];
  if (state == nil) return Status(ErrorCode::kDeviceFailed, metal::error_text(error));
  if (state.maxTotalThreadsPerThreadgroup < threads) {
    return Status(ErrorCode::kDeviceFailed, "A threadgroup of the kernel can have no more than " +
                                                std::to_string(state.maxTotalThreadsPerThreadgroup) +
                                                " threads.");
  }
  return state;
}

// The memory of a dispatch's bindings, copied to the GPU and back. What is bound twice is one buffer.
class Bindings {
 public:
  // False where two bindings overlap without beginning at the same place.
  bool copy_in(const Dispatch& dispatch) {
    for (const BufferBinding& binding : dispatch.buffers) {
      if (binding.data == nullptr || binding.bytes == 0) continue;
      std::size_t& bytes = sizes_[static_cast<std::uint8_t*>(binding.data)];
      bytes = std::max(bytes, binding.bytes);
    }
    const std::uint8_t* end = nullptr;
    for (const auto& [data, bytes] : sizes_) {
      if (data < end) return false;
      end = data + bytes;
      buffers_[data] = [gpu().device newBufferWithBytes:data
                                                 length:bytes
                                                options:MTLResourceStorageModeShared];
    }
    return true;
  }
  void bind(const Dispatch& dispatch, id<MTLComputeCommandEncoder> encoder) const {
    for (std::size_t slot = 0; slot < dispatch.buffers.size(); ++slot) {
      const auto found = buffers_.find(static_cast<std::uint8_t*>(dispatch.buffers[slot].data));
      if (found != buffers_.end()) [encoder setBuffer:found->second offset:0 atIndex:slot];
    }
  }
  void copy_out() const {
    for (const auto& [data, bytes] : sizes_) {
      const void* contents = buffers_.at(data).contents;
      if (std::memcmp(data, contents, bytes) != 0) std::memcpy(data, contents, bytes);
    }
  }

 private:
  std::map<std::uint8_t*, std::size_t> sizes_;
  std::map<std::uint8_t*, id<MTLBuffer>> buffers_;
};

MTLSize size_of(Size size) {
  return MTLSizeMake(size.width, size.height, size.depth);
}

std::optional<Fault> refused(std::string sentence) {
  return Fault{FaultKind::kLaunch, std::move(sentence), ""};
}

}  // namespace

Result<Library> Library::open(const std::string& path) {
  @autoreleasepool {
    Result<id<MTLLibrary>> library = metal::load_kernel_library(gpu().device, path);
    if (!library.ok()) return library.error();
    auto loaded = std::make_shared<LoadedLibrary>();
    loaded->library = library.value();
    NSArray<NSString*>* names = loaded->library.functionNames;
    for (NSUInteger i = 0; i < names.count; ++i) {
      KernelInfo info;
      info.name = [names objectAtIndex:i].UTF8String;
      loaded->kernels.push_back(info);
    }
    return Library(std::move(loaded));
  }
}

const std::vector<KernelInfo>& Library::kernels() const {
  return loaded_->kernels;
}

const KernelInfo* Library::find(std::string_view kernel) const {
  const auto& all = kernels();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const KernelInfo& info) { return info.name == kernel; });
  return found == all.end() ? nullptr : &*found;
}

bool Library::checked() const {
  return false;
}

Result<Pipeline> make(const Library& library, std::string_view kernel,
                      std::span<const ConstantValue> constants) {
  const KernelInfo* info = library.find(kernel);
  if (info == nullptr)
    return Status(ErrorCode::kInvalidArgument, "There is no kernel " + std::string(kernel) + ".");
  const auto index = static_cast<std::uint32_t>(info - library.kernels().data());
  return Pipeline{library, index, {constants.begin(), constants.end()}};
}

// A GPU takes threads in what order it likes.
std::optional<Fault> run(const Dispatch& dispatch, Order, Counters* counters) {
  @autoreleasepool {
    if (counters != nullptr) *counters = {};
    if (dispatch.threads) return refused("Grids are given in threadgroups.");
    const Size& group = dispatch.threads_per_threadgroup;
    Result<id<MTLComputePipelineState>> state =
        compile(dispatch.pipeline, NSUInteger{group.width} * group.height * group.depth);
    if (!state.ok()) return refused(state.error().message());
    Bindings bindings;
    if (!bindings.copy_in(dispatch)) return refused("Two bindings overlap in part.");
    id<MTLCommandBuffer> commands = [gpu().queue commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setComputePipelineState:state.value()];
    bindings.bind(dispatch, encoder);
    for (std::size_t slot = 0; slot < dispatch.threadgroup_bytes.size(); ++slot) {
      if (dispatch.threadgroup_bytes[slot] != 0)
        [encoder setThreadgroupMemoryLength:dispatch.threadgroup_bytes[slot] atIndex:slot];
    }
    [encoder dispatchThreadgroups:size_of(dispatch.threadgroups)
            threadsPerThreadgroup:size_of(dispatch.threads_per_threadgroup)];
    [encoder endEncoding];
    [commands commit];
    [commands waitUntilCompleted];
    if (commands.status != MTLCommandBufferStatusCompleted) return refused(metal::error_text(commands.error));
    bindings.copy_out();
    return std::nullopt;
  }
}

}  // namespace emberline::metal_sim
