#include "device/metal/residency.h"

#include <cstdint>

// Also compiled with the headers of an older Xcode.
#if __has_include(<Metal/MTLResidencySet.h>)
#define EMBERLINE_RESIDENCY_SETS 1
#endif

namespace emberline::metal {

void Residency::add([[maybe_unused]] id<MTLBuffer> buffer) {
#if EMBERLINE_RESIDENCY_SETS
  if (@available(macOS 15.0, *)) {
    std::uint64_t bytes = buffer.length;
    for (id<MTLBuffer> kept : kept_) bytes += kept.length;
    if (bytes > device_.recommendedMaxWorkingSetSize) return;
    id<MTLResidencySet> set = set_;
    if (set == nil) {
      MTLResidencySetDescriptor* descriptor = [MTLResidencySetDescriptor new];
      descriptor.label = @"weights";
      NSError* error = nil;
      set = [device_ newResidencySetWithDescriptor:descriptor error:&error];
      if (set == nil) return;  // submissions wire what they use, as ever
      [queue_ addResidencySet:set];
      set_ = set;
    }
    kept_.insert(buffer);
    [set addAllocation:buffer];
    [set commit];
    [set requestResidency];
  }
#endif
}

void Residency::remove([[maybe_unused]] id<MTLBuffer> buffer) {
#if EMBERLINE_RESIDENCY_SETS
  if (@available(macOS 15.0, *)) {
    if (kept_.erase(buffer) == 0) return;
    id<MTLResidencySet> set = set_;
    [set removeAllocation:buffer];
    [set commit];
  }
#endif
}

Residency::~Residency() {
#if EMBERLINE_RESIDENCY_SETS
  if (@available(macOS 15.0, *)) {
    id<MTLResidencySet> set = set_;
    if (set == nil) return;
    [queue_ removeResidencySet:set];
    [set endResidency];
  }
#endif
}

}  // namespace emberline::metal
