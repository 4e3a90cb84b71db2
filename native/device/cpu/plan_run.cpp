#include "device/cpu/plan_run.h"

#include <algorithm>

namespace emberline {
namespace {

// Units are claimed in runs, so many of them a thread: enough to even out cores of different speed, few
// enough that claiming costs nothing.
constexpr std::size_t kClaimsPerThread = 4;

Status check_request(const Plan& plan, const Replay& request) {
  if (request.rows < 1 || request.rows > plan.needs.max_rows) {
    return Status(ErrorCode::kInvalidArgument, "The batch does not fit the dispatch table.");
  }
  if (request.steps < 1 || (request.steps > 1 && request.rows != 1)) {
    return Status(ErrorCode::kInvalidArgument, "A chain must have at least one step and one row a step.");
  }
  const std::uint64_t step_rows = std::uint64_t{request.rows} + request.steps - 1;
  if (step_rows > plan.step_rows_limit) {
    return Status(ErrorCode::kInvalidArgument, "The chain is longer than its token buffer.");
  }
  if (request.position + step_rows > plan.position_limit) {
    return Status(ErrorCode::kInvalidArgument, "The batch reaches past the end of the context.");
  }
  return Status();
}

class PlanRun {
 public:
  PlanRun(const Plan& plan, const Replay& request, int threads, ScratchMemory& scratch)
      : plan_(plan),
        request_(request),
        threads_(static_cast<std::size_t>(threads)),
        scratch_(scratch),
        barrier_(threads) {
    step_.position = request.position;
    step_.rows = request.rows;
    step_.shared = &scratch.shared();
    step_.partials = &scratch.partials();
    scratch.begin_run();
    step_.fault = &fault_;
    step_.last_token = &last_token_;
  }

  // On each thread of the pool.
  void operator()(int index) {
    Worker& worker = scratch_.worker(index);
    while (!ended_) {
      for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
        const Stage& stage = *plan_.stages[i];
        if (stage.replicated(step_)) {
          stage.run(step_, worker, 0, stage.units(step_));
          continue;
        }
        run_units(stage, worker);
        const bool last = i + 1 == plan_.stages.size();
        barrier_.arrive_and_wait([this, last] { finish_stage(last); });
        if (ended_) return;
      }
    }
  }

  ErrorCode fault() const { return static_cast<ErrorCode>(fault_.load(std::memory_order_relaxed)); }
  const ReplayOutcome& outcome() const { return outcome_; }

 private:
  bool cancel_requested() const {
    return request_.cancel != nullptr && request_.cancel->load(std::memory_order_relaxed);
  }

  void run_units(const Stage& stage, Worker& worker) {
    const std::size_t units = stage.units(step_);
    const std::size_t claim = std::max<std::size_t>(1, units / (threads_ * kClaimsPerThread));
    for (;;) {
      const std::size_t begin = next_unit_.fetch_add(claim, std::memory_order_relaxed);
      if (begin >= units) return;
      if (cancel_requested()) {
        abandoned_.store(true, std::memory_order_relaxed);
        return;
      }
      stage.run(step_, worker, begin, std::min(units, begin + claim));
    }
  }

  // By the last thread to arrive, while the others wait: the one place where the state of the run changes.
  void finish_stage(bool last) {
    next_unit_.store(0, std::memory_order_relaxed);
    if (fault_.load(std::memory_order_relaxed) != 0) {
      ended_ = true;
      return;
    }
    if (abandoned_.load(std::memory_order_relaxed)) {
      outcome_.cancelled = ended_ = true;
      return;
    }
    if (last) {
      ++outcome_.steps_completed;
      outcome_.stopped = plan_.has_argmax && request_.stop.contains(last_token_);
      if (outcome_.stopped || outcome_.steps_completed == request_.steps) {
        ended_ = true;
        return;
      }
      ++step_.index;
      ++step_.position;
    }
    if (cancel_requested()) outcome_.cancelled = ended_ = true;
  }

  const Plan& plan_;
  const Replay& request_;
  const std::size_t threads_;
  ScratchMemory& scratch_;
  Barrier barrier_;
  // Changed between stages alone.
  Step step_;
  bool ended_ = false;
  ReplayOutcome outcome_;
  std::uint32_t last_token_ = 0;
  // Changed by any thread within a stage.
  alignas(64) std::atomic<std::size_t> next_unit_{0};
  alignas(64) std::atomic<bool> abandoned_{false};
  std::atomic<int> fault_{0};
};

}  // namespace

Result<ReplayOutcome> run_plan(const Plan& plan, const Replay& request, ThreadPool& pool,
                               ScratchMemory& scratch) {
  Status status = check_request(plan, request);
  if (!status.ok()) return status;
  if (request.cancel != nullptr && request.cancel->load(std::memory_order_relaxed)) {
    ReplayOutcome outcome;
    outcome.cancelled = true;
    return outcome;
  }
  PlanRun run(plan, request, pool.threads(), scratch);
  pool.run(run);
  if (run.fault() == ErrorCode::kLogitsNotFinite) {
    return Status(ErrorCode::kLogitsNotFinite,
                  "The model computed a value that is not a finite number; its file may be damaged.");
  }
  if (run.fault() == ErrorCode::kDeviceFailed) {
    return Status(ErrorCode::kDeviceFailed, "A page of the KV cache lies outside it; please report this.");
  }
  if (run.fault() != ErrorCode::kOk) return Status(run.fault(), "A token is outside the model's vocabulary.");
  return run.outcome();
}

}  // namespace emberline
