// What chains and the host tell each other (chain_state.h), in shared memory. Objective-C++.
#pragma once

#import <Metal/Metal.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "device/chain_state.h"
#include "device/device.h"
#include "device/metal/chain_outcome.h"
#include "device/metal/plan.h"

namespace emberline::metal {

class ChainMemory {
 public:
  explicit ChainMemory(id<MTLDevice> device) : device_(device) {}

  // Room for a stop set over `vocabulary` tokens. OUT_OF_MEMORY. Nothing may be under way.
  Status reserve(std::uint32_t vocabulary);
  // For a chain that begins: nothing has ended it, and `stop` will. Nothing may be under way.
  void reset(StopSet stop);

  id<MTLBuffer> buffer() const { return memory_; }
  // Asks the chain under way to end. The GPU looks at the word before each step; how soon it sees what is
  // written meanwhile is up to the hardware.
  void cancel();
  ChainEnd end() const;

 private:
  id<MTLDevice> device_;
  id<MTLBuffer> memory_ = nil;
  ChainState* state_ = nullptr;  // in memory_, the stop set behind it
  std::size_t stop_words_ = 0;   // room for
};

// Grids of a plan's commands at one row, for indirect dispatch: a count, then x, y, z of each
// (chain_guard.h).
class ChainGrids {
 public:
  // OUT_OF_MEMORY.
  Status create(id<MTLDevice> device, const std::vector<EncodedCommand>& commands);
  // As the commands want them. Nothing may be under way.
  void restore();

  id<MTLBuffer> buffer() const { return memory_; }  // nil before create
  static NSUInteger offset_of(std::size_t command) { return sizeof(std::uint32_t) * (1 + 3 * command); }

 private:
  id<MTLBuffer> memory_ = nil;
  void* contents_ = nullptr;  // of memory_
  std::vector<std::uint32_t> words_;
};

}  // namespace emberline::metal
