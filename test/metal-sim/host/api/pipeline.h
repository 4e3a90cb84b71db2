// Kernels that are ready to run.
#pragma once

#include "host/api/library.h"
#include "host/execution/resources.h"

@interface SimulatedPipeline : NSObject <MTLComputePipelineState> {
 @public
  emberline::metal_sim::PipelineCode* code;
  NSUInteger maxThreads;
  BOOL threadsAreMultipleOfWidth;
}
@end

namespace emberline::metal_sim {

// What newComputePipelineStateWithDescriptor does; the other ways come to the same. Retained.
SimulatedPipeline* pipeline_from(SimulatedDevice* device, MTLComputePipelineDescriptor* descriptor,
                                 MTLPipelineOption options,
                                 NSError* __autoreleasing* error) NS_RETURNS_RETAINED;

// What a binary archive knows the pipeline of `descriptor` by.
std::string archive_key(MTLComputePipelineDescriptor* descriptor);

}  // namespace emberline::metal_sim
