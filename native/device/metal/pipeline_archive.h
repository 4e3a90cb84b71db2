// A file of pipelines compiled for this GPU, so that later starts need not compile them. Objective-C++.
#pragma once

#import <Metal/Metal.h>

#include <string>

namespace emberline::metal {

// A wish throughout: whatever is wrong with the folder or the file, pipelines are compiled as if there were
// none.
class PipelineArchive {
 public:
  // `folder` (UTF-8) may be empty: nothing is kept. The file's name holds all that a compiled pipeline
  // depends on: the kernels' text, the GPU and the version of the system.
  PipelineArchive(id<MTLDevice> device, const std::string& folder);

  // A pipeline out of the archive, or nil.
  id<MTLComputePipelineState> find(MTLComputePipelineDescriptor* descriptor) const;
  // To be kept by the next save().
  void add(MTLComputePipelineDescriptor* descriptor);
  // Writes the file where something was added.
  void save();

 private:
  id<MTLDevice> device_;
  std::string path_;  // empty: nowhere
  id<MTLBinaryArchive> archive_ = nil;
  bool from_file_ = false;
  bool changed_ = false;
};

}  // namespace emberline::metal
