// A device without a queue of its own: a submission runs when it is waited for.
#pragma once

#include <array>
#include <cstddef>

#include "device/device.h"

namespace emberline {

class DeferredDevice : public Device {
 public:
  Result<SubmissionId> submit(const DispatchTable& table, const Replay& request) final;
  void abandon(SubmissionId submission) final;
  Result<ReplayOutcome> wait(SubmissionId submission) final;

 protected:
  // Runs the table to its end. `request.continues` has been seen to.
  virtual Result<ReplayOutcome> run(const DispatchTable& table, const Replay& request) = 0;

 private:
  struct Pending {
    const DispatchTable* table = nullptr;
    Replay request;
    bool abandoned = false;
  };
  Pending& pending(SubmissionId submission) { return pending_[submission % pending_.size()]; }
  Result<ReplayOutcome> run(const Pending& pending);

  std::array<Pending, kMaxSubmissionsUnderWay> pending_;
  SubmissionId next_ = 0;    // the number of the next submission
  SubmissionId oldest_ = 0;  // of those under way; next_ where there is none
  Result<ReplayOutcome> last_ = ReplayOutcome{};
};

}  // namespace emberline
