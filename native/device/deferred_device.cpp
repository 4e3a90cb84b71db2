#include "device/deferred_device.h"

namespace emberline {

Result<SubmissionId> DeferredDevice::submit(const DispatchTable& table, const Replay& request) {
  if (next_ - oldest_ == pending_.size()) {
    return Status(ErrorCode::kInternal, "Too much was submitted to the device at once; please report this.");
  }
  pending(next_) = {&table, request, false};
  return next_++;
}

void DeferredDevice::abandon(SubmissionId submission) {
  if (submission >= oldest_ && submission < next_) pending(submission).abandoned = true;
}

Result<ReplayOutcome> DeferredDevice::wait(SubmissionId submission) {
  if (submission != oldest_ || oldest_ == next_) {
    return Status(ErrorCode::kInternal,
                  "Submissions were not waited for in their order; please report this.");
  }
  ++oldest_;
  last_ = run(pending(submission));
  return last_;
}

Result<ReplayOutcome> DeferredDevice::run(const Pending& pending) {
  if (pending.request.continues) {
    if (!last_.ok()) return last_;
    const ReplayOutcome& before = last_.value();
    if (before.stopped || before.cancelled) return ReplayOutcome{0, before.stopped, before.cancelled};
  }
  if (pending.abandoned) return ReplayOutcome{0, false, true};
  return run(*pending.table, pending.request);
}

}  // namespace emberline
