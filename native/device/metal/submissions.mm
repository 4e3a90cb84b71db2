#include "device/metal/submissions.h"

#include <algorithm>

#include "base/try.h"
#include "device/metal/error_text.h"

namespace emberline::metal {

Result<SubmissionId> Submissions::submit(PreparedTable& table, const Replay& request,
                                         const __strong id<MTLComputePipelineState>* pipelines,
                                         id<MTLBuffer> scratch) {
  if (!lost_.ok()) return lost_;
  if (next_ - oldest_ == under_way_.size()) {
    return Status(ErrorCode::kInternal, "Too much was submitted to the device at once; please report this.");
  }
  if (!request.continues) {
    drain();
    chain_.reset(request.stop);
  }
  if (!uses_gpu(table) && table.grids.buffer() != nil) table.grids.restore();
  UnderWay& submission = at(next_);
  submission.table = &table;
  submission.request = request;
  submission.looks_at_chain = table.plan.looks_at_chain(row_class(request.rows));
  submission.abandoned = submission.finished = false;
  submission.outcome = foregone(request);
  if (!submission.outcome) {
    TRY(start(submission, pipelines, scratch));
  }
  return next_++;
}

std::optional<Result<ReplayOutcome>> Submissions::foregone(const Replay& request) const {
  const bool before_is_through = oldest_ == next_ || at(next_ - 1).finished;
  if (request.continues && before_is_through) {
    if (!last_.ok()) return last_;
    const ReplayOutcome& before = last_.value();
    if (before.stopped || before.cancelled) return ReplayOutcome{0, before.stopped, before.cancelled};
  }
  if (request.cancel != nullptr && request.cancel->load(std::memory_order_relaxed))
    return ReplayOutcome{0, false, true};
  return std::nullopt;
}

bool Submissions::uses_gpu(const PreparedTable& table) const {
  for (SubmissionId i = oldest_; i < next_; ++i) {
    if (at(i).buffer != nil && at(i).table == &table) return true;
  }
  return false;
}

Status Submissions::start(UnderWay& submission, const __strong id<MTLComputePipelineState>* pipelines,
                          id<MTLBuffer> scratch) {
  PreparedTable& table = *submission.table;
  const Plan& plan = table.plan;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i)
    table.resolved[i] = plan.buffers[i] == kScratchBuffer ? scratch : buffers_.memory(plan.buffers[i]);

  // All buffers live until the submission is through: retaining each would cost more than the commands.
  id<MTLCommandBuffer> buffer = [queue_ commandBufferWithUnretainedReferences];
  id<MTLComputeCommandEncoder> encoder =
      [buffer computeCommandEncoderWithDispatchType:MTLDispatchTypeConcurrent];
  if (encoder == nil) {
    return Status(ErrorCode::kDeviceFailed, "The GPU takes no more submissions; choose the device 'cpu'.");
  }
  const Replay& request = submission.request;
  const bool one_row = row_class(request.rows) == RowClass::kOne;
  encode(encoder, {plan.variant(request.rows).commands, pipelines, table.resolved.data(), chain_.buffer(),
                   one_row ? table.grids.buffer() : nil, request.position, request.rows, request.steps});
  [encoder endEncoding];
  if (request.cancel != nullptr) {
    submission.completion.reset();
    Completion* completion = &submission.completion;  // drained before it goes
    [buffer addCompletedHandler:^(id<MTLCommandBuffer>) {
      completion->signal();
    }];
  }
  [buffer commit];
  submission.buffer = buffer;
  // A table that is not used for long must not keep memory that a growing buffer has left.
  std::fill(table.resolved.begin(), table.resolved.end(), nil);
  return Status();
}

void Submissions::abandon(SubmissionId submission) {
  if (!is_under_way(submission)) return;
  at(submission).abandoned = true;
  // The flag is the chain's: with another submission before this one, it has to wait.
  if (submission == oldest_ && at(submission).buffer != nil) chain_.cancel();
}

void Submissions::finish(UnderWay& submission) {
  if (submission.finished) return;
  if (!submission.outcome) {
    const std::atomic<bool>* cancel = submission.request.cancel;
    if (cancel != nullptr) submission.completion.wait(*cancel, [this] { chain_.cancel(); });
    [submission.buffer waitUntilCompleted];
    submission.outcome = read_outcome(submission);
    submission.buffer = nil;
  }
  submission.finished = true;
  last_ = *submission.outcome;
  if (last_.code() == ErrorCode::kDeviceUnavailable) lost_ = last_.error();
}

Result<ReplayOutcome> Submissions::read_outcome(const UnderWay& submission) const {
  if (submission.buffer.status == MTLCommandBufferStatusError)
    return command_buffer_status(submission.buffer);
  const Replay& request = submission.request;
  if (request.continues && !last_.ok()) return last_;  // it went on from what was never computed
  Result<ReplayOutcome> outcome = outcome_of(request, chain_.end(), submission.looks_at_chain);
  const Plan& plan = submission.table->plan;
  if (outcome.ok() && !submission.looks_at_chain && plan.chosen) {
    const std::uint64_t last = std::uint64_t{request.position} + request.rows + request.steps - 1;
    const Binding& tokens = plan.chosen->tokens;
    outcome.value().stopped = request.stop.contains(buffers_.word(tokens.buffer, tokens.offset + 4 * last));
  }
  return outcome;
}

void Submissions::drain() {
  for (SubmissionId i = oldest_; i < next_; ++i) finish(at(i));
}

Result<ReplayOutcome> Submissions::wait(SubmissionId submission) {
  if (submission != oldest_ || oldest_ == next_) {
    return Status(ErrorCode::kInternal,
                  "Submissions were not waited for in their order; please report this.");
  }
  UnderWay& oldest = at(submission);
  // Whatever becomes of it: where there is no memory to say what, the next one is the oldest all the same.
  ++oldest_;
  finish(oldest);
  if (oldest_ < next_ && at(oldest_).abandoned && at(oldest_).buffer != nil) chain_.cancel();
  return *oldest.outcome;
}

}  // namespace emberline::metal
