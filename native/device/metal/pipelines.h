// Pipelines: kernels with values for their function constants, compiled for this GPU. Objective-C++.
#pragma once

#import <Metal/Metal.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "device/metal/pipeline_archive.h"
#include "device/metal/plan.h"

namespace emberline::metal {

class Pipelines final : public PipelineSource {
 public:
  Pipelines(id<MTLDevice> device, id<MTLLibrary> library, const std::string& cache_folder)
      : device_(device), library_(library), archive_(device, cache_folder) {}

  Result<Pipeline> pipeline(const KernelVariant& kernel) override;
  // Keeps what was compiled for the next start.
  void save() { archive_.save(); }

  // By number. The array moves when a pipeline is added.
  const __strong id<MTLComputePipelineState>* states() const { return states_.data(); }

 private:
  Result<id<MTLComputePipelineState>> compile(const KernelVariant& kernel);

  id<MTLDevice> device_;
  id<MTLLibrary> library_;
  PipelineArchive archive_;
  std::map<std::string, std::uint32_t> numbers_;  // by KernelVariant::key
  std::vector<id<MTLComputePipelineState>> states_;
};

}  // namespace emberline::metal
