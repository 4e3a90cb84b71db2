// The loop that writes a plan's commands into a command buffer. Objective-C++.
//
// It runs for every command of every token, so it allocates nothing, looks up nothing and reads the plan's
// hot part alone: pipelines and buffers have been resolved to arrays, and what stays bound is not bound
// again.
#pragma once

#import <Metal/Metal.h>

#include <cstdint>
#include <span>

#include "device/metal/encoded_command.h"

namespace emberline::metal {

struct Encoding {
  std::span<const EncodedCommand> commands;
  const __strong id<MTLComputePipelineState>* pipelines;  // by EncodedCommand::pipeline
  const __strong id<MTLBuffer>* buffers;                  // by EncodedBinding::buffer
  id<MTLBuffer> chain;                                    // a ChainState
  id<MTLBuffer> grids;                                    // of indirect dispatch (ChainGrids); nil: direct
  std::uint32_t position;                                 // of the first row of step 0
  std::uint32_t rows, steps;
};

// `encoder` runs commands concurrently between barriers.
void encode(id<MTLComputeCommandEncoder> encoder, const Encoding& encoding);

}  // namespace emberline::metal
