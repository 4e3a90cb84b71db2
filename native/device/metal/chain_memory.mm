#include "device/metal/chain_memory.h"

#include <algorithm>
#include <cstring>

namespace emberline::metal {
namespace {

Status no_memory() {
  return Status(ErrorCode::kOutOfMemory,
                "There is no GPU memory for the state of a chain; close other programs.");
}

}  // namespace

Status ChainMemory::reserve(std::uint32_t vocabulary) {
  const std::size_t words = vocabulary / 32 + 1;
  if (memory_ != nil && words <= stop_words_) return Status();
  id<MTLBuffer> memory = [device_ newBufferWithLength:sizeof(ChainState) + words * sizeof(std::uint32_t)
                                              options:MTLResourceStorageModeShared];
  if (memory == nil) return no_memory();
  memory.label = @"chain state";
  memory_ = memory;
  state_ = static_cast<ChainState*>(memory.contents);
  stop_words_ = words;
  reset({});
  return Status();
}

void ChainMemory::reset(StopSet stop) {
  const std::size_t words = std::min(stop.bits.size() * 2, stop_words_);
  ChainState fresh{};
  fresh.end = kNoEnd;
  fresh.stop_words = static_cast<std::uint32_t>(words);
  *state_ = fresh;
  if (words == 0) return;
  // Bit v % 64 of a 64-bit word is bit v % 32 of its lower or upper half, in this order in memory.
  std::memcpy(state_ + 1, stop.bits.data(), words * sizeof(std::uint32_t));
}

void ChainMemory::cancel() {
  __atomic_store_n(&state_->cancel, 1u, __ATOMIC_RELAXED);
}

ChainEnd ChainMemory::end() const {
  const std::uint32_t halt = __atomic_load_n(&state_->halted, __ATOMIC_ACQUIRE);
  return {static_cast<Halt>(halt), __atomic_load_n(&state_->end, __ATOMIC_RELAXED)};
}

Status ChainGrids::create(id<MTLDevice> device, const std::vector<EncodedCommand>& commands) {
  words_.push_back(static_cast<std::uint32_t>(commands.size()));
  for (const EncodedCommand& command : commands) {
    const auto grid = command.grid.threadgroups(1);
    words_.insert(words_.end(), grid.begin(), grid.end());
  }
  memory_ = [device newBufferWithLength:words_.size() * sizeof(std::uint32_t)
                                options:MTLResourceStorageModeShared];
  if (memory_ == nil) return no_memory();
  memory_.label = @"chain grids";
  contents_ = memory_.contents;
  restore();
  return Status();
}

void ChainGrids::restore() {
  std::memcpy(contents_, words_.data(), words_.size() * sizeof(std::uint32_t));
}

}  // namespace emberline::metal
