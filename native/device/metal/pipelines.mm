#include "device/metal/pipelines.h"

#include "base/try.h"
#include "device/metal/error_text.h"

namespace emberline::metal {
namespace {

MTLFunctionConstantValues* constant_values(const KernelVariant& kernel) {
  MTLFunctionConstantValues* values = [MTLFunctionConstantValues new];
  for (const FunctionConstant& constant : kernel.constants) {
    if (constant.kind == FunctionConstant::Kind::kBool) {
      const bool value = constant.value != 0;
      [values setConstantValue:&value type:MTLDataTypeBool atIndex:constant.index];
    } else {
      [values setConstantValue:&constant.value type:MTLDataTypeUInt atIndex:constant.index];
    }
  }
  return values;
}

Status no_kernel(const KernelVariant& kernel, NSError* error) {
  return Status(ErrorCode::kDeviceFailed, "The kernel " + kernel.function + " cannot run on this GPU (" +
                                              error_text(error) + "); choose the device 'cpu'.");
}

}  // namespace

Result<id<MTLComputePipelineState>> Pipelines::compile(const KernelVariant& kernel) {
  NSError* error = nil;
  id<MTLFunction> function =
      [library_ newFunctionWithName:[NSString stringWithUTF8String:kernel.function.c_str()]
                     constantValues:constant_values(kernel)
                              error:&error];
  if (function == nil) return no_kernel(kernel, error);
  MTLComputePipelineDescriptor* descriptor = [MTLComputePipelineDescriptor new];
  descriptor.computeFunction = function;
  // Every kernel is launched with whole simdgroups.
  descriptor.threadGroupSizeIsMultipleOfThreadExecutionWidth = YES;
  // The compiler gives each thread no more registers than so many threads leave it.
  if (kernel.threads != 0) descriptor.maxTotalThreadsPerThreadgroup = kernel.threads;
  id<MTLComputePipelineState> state = archive_.find(descriptor);
  if (state != nil) return state;
  state = [device_ newComputePipelineStateWithDescriptor:descriptor
                                                 options:MTLPipelineOptionNone
                                              reflection:nil
                                                   error:&error];
  if (state == nil) return no_kernel(kernel, error);
  archive_.add(descriptor);
  return state;
}

Result<Pipeline> Pipelines::pipeline(const KernelVariant& kernel) {
  @autoreleasepool {
    const std::string key = kernel.key();
    auto found = numbers_.find(key);
    if (found == numbers_.end()) {
      TRY_VALUE(id<MTLComputePipelineState> state, compile(kernel));
      found = numbers_.emplace(key, static_cast<std::uint32_t>(states_.size())).first;
      states_.push_back(state);
    }
    // Whole simdgroups.
    const NSUInteger most = states_[found->second].maxTotalThreadsPerThreadgroup / 32 * 32;
    return Pipeline{found->second, static_cast<std::uint32_t>(most)};
  }
}

}  // namespace emberline::metal
