#include "interleavings/scenarios.h"

#include <array>

#include "addon/work_thread.h"
#include "base/barrier.h"
#include "interleavings/job_scenarios.h"
#include "interleavings/model_scenarios.h"
#include "interleavings/pool_scenarios.h"
#include "mutants/halving_of_any_round/barrier.h"
#include "mutants/jobs_checked_then_queued/work_thread.h"
#include "mutants/lost_finish/work_thread.h"
#include "mutants/pool_wakes_one/barrier.h"
#include "mutants/pool_wakes_one/thread_pool.h"
#include "mutants/settled_by_two/model_host.h"
#include "mutants/stop_of_any_round/barrier.h"

namespace emberline::testing {
namespace {

void prepare_stage() {
  Stage::get();
}

constexpr Scenario kScenarios[] = {
    {"pool", run_rounds_of_a_pool<ThreadPool, Barrier>},
    {"jobs", post_while_it_ends<addon::WorkThread>},
    {"cancel", cancel_at_any_moment<addon::ModelHost>, prepare_stage},
    {"close", close_at_any_moment<addon::ModelHost>, prepare_stage},
    {"two_sessions", close_one_of_two_sessions<addon::ModelHost>, prepare_stage},
    {"fork", close_a_fork<addon::ModelHost>, prepare_stage},
    {"packed_copy", share_a_packed_copy<addon::ModelHost>, prepare_stage},
    {"environment", end_the_environment<addon::ModelHost>, prepare_stage},
};

constexpr Scenario kBroken[] = {
    {"broken_wake_up", run_rounds_of_a_pool<pool_wakes_one::ThreadPool, pool_wakes_one::Barrier>},
    {"broken_barrier", run_rounds_of_a_pool<ThreadPool, stop_of_any_round::Barrier>},
    {"broken_halving", run_rounds_of_a_pool<ThreadPool, halving_of_any_round::Barrier>},
    {"broken_finish", post_while_it_ends<addon::lost_finish::WorkThread>},
    {"broken_post", post_while_it_ends<addon::jobs_checked_then_queued::WorkThread>},
    {"broken_cancel", cancel_at_any_moment<addon::settled_by_two::ModelHost>, prepare_stage},
};

}  // namespace

std::span<const Scenario> scenarios() {
  return kScenarios;
}

std::span<const Scenario> broken_scenarios() {
  return kBroken;
}

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all(std::begin(kScenarios), std::end(kScenarios));
  all.insert(all.end(), std::begin(kBroken), std::end(kBroken));
  return all;
}

const Scenario* find_scenario(std::string_view name) {
  for (const std::span<const Scenario> some : {scenarios(), broken_scenarios()}) {
    for (const Scenario& each : some) {
      if (each.name == name) return &each;
    }
  }
  return nullptr;
}

}  // namespace emberline::testing
