#include "device/cpu/plan_run.h"

#include <algorithm>
#include <array>

#include "base/barrier.h"
#include "base/schedule.h"
#include "base/stopwatch.h"
#include "base/try.h"

namespace emberline {
namespace {

// A thread takes its share of a stage in so many claims. The others can help with what it has not claimed, so
// a thread that is slower than the rest delays them by a part of its share; more claims would cost more than
// they even out.
constexpr std::size_t kClaimsPerShare = 4;

// Every thread walks the stages for itself, with a step of its own; what they conclude at a barrier is the
// same for all. The first one waits for the others, and so finds out whether there are too many
// (active_threads.h).
class PlanRun {
 public:
  // On the first active.count() threads of a pool.
  PlanRun(const Plan& plan, const Replay& request, ActiveThreads& active, ScratchMemory& scratch)
      : plan_(plan), request_(request), active_(active), scratch_(scratch), barrier_(active.count()) {}

  // On each thread of the pool.
  void operator()(int index) {
    Worker& worker = scratch_.worker(index);
    Step step;
    step.position = request_.position;
    step.rows = request_.rows;
    step.shared = &scratch_.shared();
    step.partials = &scratch_.partials();
    step.fault = &fault_;
    step.last_token = &last_token_;
    Barrier::Party party = barrier_.party();
    bool halve = false;
    for (bool stopped = false; !stopped && step.index < request_.steps; ++step.index, ++step.position) {
      for (const std::unique_ptr<Stage>& stage : plan_.stages) {
        if (stage->replicated(step)) {
          stage->run(step, worker, 0, stage->units(step));
          continue;
        }
        const bool abandoned = !run_units(*stage, step, worker, static_cast<std::size_t>(index), party);
        if (abandoned) cancelled_.store(true, std::memory_order_relaxed);
        const Barrier::Met met =
            barrier_.arrive_and_wait(party, {abandoned || fault() != ErrorCode::kOk, halve});
        if (met.stop || index >= party.threads) return;
        halve = index == 0 && met.waited >= ActiveThreads::kShortWait &&
                active_.halve_after(met.waited, steady_now());
      }
      stopped = plan_.has_argmax && request_.stop.contains(last_token_);
      if (index == 0) {
        outcome_.steps_completed = step.index + 1;
        outcome_.stopped = stopped;
      }
    }
  }

  // Once the pool has run.
  ErrorCode fault() const { return static_cast<ErrorCode>(fault_.load(std::memory_order_relaxed)); }
  ReplayOutcome outcome() const {
    ReplayOutcome outcome = outcome_;
    outcome.cancelled = cancelled_.load(std::memory_order_relaxed);
    return outcome;
  }

 private:
  bool cancel_requested() const {
    return request_.cancel != nullptr && request_.cancel->load(std::memory_order_relaxed);
  }

  // Runs units until all are claimed, or returns false: until the replay is cancelled.
  //
  // Every thread has a range of its own, the same in each step of a chain, so that it reads the same rows of
  // a matrix from end to end. Who is through with its own range helps with the others'.
  bool run_units(const Stage& stage, const Step& step, Worker& worker, std::size_t thread,
                 const Barrier::Party& party) {
    const std::size_t units = stage.units(step);
    const std::uint64_t round = party.round + 1;
    const std::size_t threads = static_cast<std::size_t>(party.threads);
    const std::size_t share = (units + threads - 1) / threads;
    const std::size_t claim = claim_units(stage, step, share);
    std::size_t owner = thread;
    do {
      const std::size_t first = std::min(owner * share, units), past = std::min(first + share, units);
      std::atomic<std::size_t>& claimed = claimed_[owner].units[round % 2];
      // Looking first leaves the cache line with its owner when there is nothing to claim.
      while (first + claimed.load(std::memory_order_relaxed) < past) {
        schedule_point("plan.claim");
        if (cancel_requested()) return false;
        const std::size_t begin = first + claimed.fetch_add(claim, std::memory_order_relaxed);
        if (begin >= past) break;
        stage.run(step, worker, begin, std::min(begin + claim, past));
      }
      owner = owner + 1 < threads ? owner + 1 : 0;
    } while (owner != thread);
    schedule_point("plan.claimed");
    // Nobody has looked at the next round's count since the barrier before this round.
    claimed_[thread].units[(round + 1) % 2].store(0, std::memory_order_relaxed);
    return true;
  }

  static std::size_t claim_units(const Stage& stage, const Step& step, std::size_t share) {
    std::size_t claim = share / kClaimsPerShare;
    const std::uint64_t operations = stage.unit_operations(step);
    if (claim * operations > kMaxClaimOperations) claim = kMaxClaimOperations / operations;
    return std::max<std::size_t>(1, claim);
  }

  const Plan& plan_;
  const Replay& request_;
  ActiveThreads& active_;
  ScratchMemory& scratch_;
  ReplayOutcome outcome_;         // of the first thread
  std::uint32_t last_token_ = 0;  // written within a stage by one thread, read behind its barrier
  std::atomic<int> fault_{0};
  std::atomic<bool> cancelled_{false};
  Barrier barrier_;
  // Units that are claimed of each thread's range, in even and in odd rounds. On a cache line that its owner
  // changes alone until another comes to help.
  struct alignas(64) Claimed {
    std::atomic<std::size_t> units[2] = {};
  };
  std::array<Claimed, kMaxThreads> claimed_;
};

}  // namespace

Result<ReplayOutcome> run_plan(const Plan& plan, const Replay& request, ThreadPool& pool,
                               ActiveThreads& active, ScratchMemory& scratch) {
  TRY(check_request(plan.limits, request));
  if (request.cancel != nullptr && request.cancel->load(std::memory_order_relaxed)) {
    ReplayOutcome outcome;
    outcome.cancelled = true;
    return outcome;
  }
  scratch.begin_run();
  const int threads = active.begin(steady_now());
  PlanRun run(plan, request, active, scratch);
  pool.run(run, threads);
  active.end(steady_now());
  switch (run.fault()) {
    case ErrorCode::kOk: return run.outcome();
    case ErrorCode::kLogitsNotFinite: return logits_not_finite();
    case ErrorCode::kDeviceFailed: return page_outside();
    default: return unknown_token();
  }
}

}  // namespace emberline
