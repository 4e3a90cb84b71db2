// Weights that stay in memory while nothing is submitted. Objective-C++.
//
// Memory that no submission has used for about a second loses its wiring, and the next submission waits until
// all of it has been wired again: tens of milliseconds for a model, after every pause in typing. A residency
// set keeps it. Before macOS 15 there are none, and nothing is done; nor is it for more than Metal
// recommends, where wiring it all would take memory from other programs.
#pragma once

#import <Metal/Metal.h>

#include <set>

namespace emberline::metal {

class Residency {
 public:
  Residency(id<MTLDevice> device, id<MTLCommandQueue> queue) : device_(device), queue_(queue) {}
  ~Residency();
  Residency(const Residency&) = delete;
  Residency& operator=(const Residency&) = delete;

  // Of a buffer once; it is of no use to a submission that is under way.
  void add(id<MTLBuffer> buffer);
  // Nothing under way uses the buffer; one that was not added may be removed.
  void remove(id<MTLBuffer> buffer);

 private:
  id<MTLDevice> device_;
  id<MTLCommandQueue> queue_;
  // An id<MTLResidencySet>, made for the first buffer; its type has no name on an older macOS.
  id set_ = nil;
  std::set<id<MTLBuffer>> kept_;  // in the set
};

}  // namespace emberline::metal
