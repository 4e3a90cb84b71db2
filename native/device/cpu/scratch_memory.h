// The scratch memory of a device: activation rows and attention results shared by the
// threads, and each thread's own.
#pragma once

#include <atomic>
#include <memory>
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

  // Before a plan runs: forgets what one that was cut short left half done.
  void begin_run();

  const ActivationScratch& shared() const { return shared_; }
  const AttentionPartials& partials() const { return partials_; }
  Worker& worker(int index) { return workers_[static_cast<std::size_t>(index)].worker; }

 private:
  struct Private {
    Worker worker;
    AlignedMemory memory;
  };
  ScratchNeeds needs_;
  AlignedMemory memory_;
  ActivationScratch shared_;
  AttentionPartials partials_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> finished_;
  std::size_t finished_count_ = 0;
  std::vector<Private> workers_;
};

}  // namespace emberline
