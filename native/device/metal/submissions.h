// Submissions to the GPU: at most two under way, waited for in their order. Objective-C++.
#pragma once

#import <Metal/Metal.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.h"
#include "device/device.h"
#include "device/metal/buffers.h"
#include "device/metal/chain_memory.h"
#include "device/metal/completion.h"
#include "device/metal/encoder.h"
#include "device/metal/plan.h"

namespace emberline::metal {

// A plan with what its submissions need on the GPU.
struct PreparedTable {
  const Command* commands;  // of the table, to notice another one at the same address
  std::size_t count;
  Plan plan;
  ChainGrids grids;                     // of indirect dispatch, or without memory
  std::vector<id<MTLBuffer>> resolved;  // room for the memory of plan.buffers, while a submission is encoded
};

class Submissions {
 public:
  Submissions(id<MTLCommandQueue> queue, ChainMemory& chain, const Buffers& buffers)
      : queue_(queue), chain_(chain), buffers_(buffers) {}
  ~Submissions() { drain(); }
  Submissions(const Submissions&) = delete;
  Submissions& operator=(const Submissions&) = delete;

  // `request` has been checked. The table and what it binds stay until the submission has been drained or
  // waited for.
  Result<SubmissionId> submit(PreparedTable& table, const Replay& request,
                              const __strong id<MTLComputePipelineState>* pipelines, id<MTLBuffer> scratch);
  void abandon(SubmissionId submission);
  Result<ReplayOutcome> wait(SubmissionId submission);
  // Waits until the GPU is through with everything; what it came to is kept for wait().
  void drain();

 private:
  struct UnderWay {
    PreparedTable* table = nullptr;
    Replay request;
    bool looks_at_chain = false;
    bool abandoned = false;
    id<MTLCommandBuffer> buffer = nil;  // until it is through
    Completion completion;
    std::optional<Result<ReplayOutcome>> outcome;  // once it is known
    bool finished = false;                         // it has become last_
  };

  UnderWay& at(SubmissionId submission) { return under_way_[submission % under_way_.size()]; }
  const UnderWay& at(SubmissionId submission) const { return under_way_[submission % under_way_.size()]; }
  bool is_under_way(SubmissionId submission) const { return submission >= oldest_ && submission < next_; }
  // What a submission comes to without the GPU, if so.
  std::optional<Result<ReplayOutcome>> foregone(const Replay& request) const;
  bool uses_gpu(const PreparedTable& table) const;
  Status start(UnderWay& submission, const __strong id<MTLComputePipelineState>* pipelines,
               id<MTLBuffer> scratch);
  // Waits for the GPU. Those before it have finished.
  void finish(UnderWay& submission);
  Result<ReplayOutcome> read_outcome(const UnderWay& submission) const;

  id<MTLCommandQueue> queue_;
  ChainMemory& chain_;
  const Buffers& buffers_;
  std::array<UnderWay, kMaxSubmissionsUnderWay> under_way_;
  SubmissionId next_ = 0;                         // the number of the next submission
  SubmissionId oldest_ = 0;                       // of those not waited for; next_ where there is none
  Result<ReplayOutcome> last_ = ReplayOutcome{};  // of the one that finished last; they finish in their order
  Status lost_;                                   // why the GPU is gone, if it is
};

}  // namespace emberline::metal
