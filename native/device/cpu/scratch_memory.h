// The scratch memory of a device: activation rows shared by the threads of a batch, and each thread's own.
#pragma once

#include <vector>

#include "base/status.h"
#include "device/cpu/aligned_memory.h"
#include "device/cpu/stage.h"

namespace emberline {

class ScratchMemory {
 public:
  explicit ScratchMemory(int threads) : workers_(static_cast<std::size_t>(threads)) {}

  // Grows to what a plan needs; what plans reserved before stays enough. OUT_OF_MEMORY leaves the old memory
  // in place.
  Status reserve(const ScratchNeeds& needs);

  const ActivationScratch& shared() const { return shared_; }
  Worker& worker(int index) { return workers_[static_cast<std::size_t>(index)].worker; }

 private:
  struct Private {
    Worker worker;
    AlignedMemory memory;
  };
  ScratchNeeds needs_;
  AlignedMemory memory_;
  ActivationScratch shared_;
  std::vector<Private> workers_;
};

}  // namespace emberline
