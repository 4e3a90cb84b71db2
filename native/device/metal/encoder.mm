#include "device/metal/encoder.h"

#include <array>
#include <bit>
#include <cstring>

#include "device/metal/chain_memory.h"

namespace emberline::metal {
namespace {

using Params = std::array<std::uint8_t, kMaxParamBytes>;

void patch(Params& params, std::uint8_t at, std::uint32_t value) {
  if (at != kNotPatched) std::memcpy(params.data() + at, &value, sizeof(value));
}

void set_params(id<MTLComputeCommandEncoder> encoder, const EncodedCommand& command, const Encoding& e,
                std::uint32_t step) {
  Params params = command.params;
  patch(params, command.position_at, e.position + step);
  [encoder setBytes:params.data() length:command.param_bytes atIndex:kParamsIndex];
}

void bind(id<MTLComputeCommandEncoder> encoder, const EncodedCommand& command, const Encoding& e,
          std::uint16_t slots) {
  for (std::uint32_t rest = slots; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<std::uint32_t>(std::countr_zero(rest));
    const EncodedBinding& binding = command.bindings[slot];
    [encoder setBuffer:e.buffers[binding.buffer] offset:binding.offset atIndex:kFirstSlotIndex + slot];
  }
}

void dispatch(id<MTLComputeCommandEncoder> encoder, const EncodedCommand& command, const Encoding& e,
              std::size_t index) {
  const MTLSize threads = MTLSizeMake(command.threads, 1, 1);
  if (e.grids != nil) {
    [encoder dispatchThreadgroupsWithIndirectBuffer:e.grids
                               indirectBufferOffset:ChainGrids::offset_of(index)
                              threadsPerThreadgroup:threads];
    return;
  }
  const auto [x, y, z] = command.grid.threadgroups(e.rows);
  [encoder dispatchThreadgroups:MTLSizeMake(x, y, z) threadsPerThreadgroup:threads];
}

}  // namespace

void encode(id<MTLComputeCommandEncoder> encoder, const Encoding& e) {
  [encoder setBuffer:e.chain offset:0 atIndex:kChainIndex];
  [encoder setBytes:&e.rows length:sizeof(e.rows) atIndex:kRowsIndex];
  if (e.grids != nil) [encoder setBuffer:e.grids offset:0 atIndex:kGridsIndex];
  for (std::uint32_t step = 0; step < e.steps; ++step) {
    const bool again = step > 0;
    for (std::size_t i = 0; i < e.commands.size(); ++i) {
      const EncodedCommand& command = e.commands[i];
      if (command.barrier && (again || i > 0)) [encoder memoryBarrierWithScope:MTLBarrierScopeBuffers];
      if (again ? command.set_pipeline_again : command.set_pipeline_first)
        [encoder setComputePipelineState:e.pipelines[command.pipeline]];
      bind(encoder, command, e, again ? command.bind_again : command.bind_first);
      set_params(encoder, command, e, step);
      if (command.threadgroup_bytes > 0)
        [encoder setThreadgroupMemoryLength:command.threadgroup_bytes atIndex:0];
      dispatch(encoder, command, e, i);
    }
  }
}

}  // namespace emberline::metal
