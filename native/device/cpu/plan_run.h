// Runs a plan on the threads of a pool.
#pragma once

#include "base/active_threads.h"
#include "base/thread_pool.h"
#include "device/cpu/plan.h"
#include "device/cpu/scratch_memory.h"
#include "device/device.h"

namespace emberline {

// The cancel flag is looked at before every claim of work. A claim is one unit of a stage, or several of
// together at most so many multiply-adds: some tenths of a millisecond with any kernels for vectors.
inline constexpr std::uint64_t kMaxClaimOperations = std::uint64_t{1} << 24;

// One run of the pool for the whole chain, on as many of its threads as `active` counts: what is computed
// does not depend on that. INVALID_ARGUMENT for rows, steps or positions the plan does not admit and for
// tokens outside the vocabulary; LOGITS_NOT_FINITE; DEVICE_FAILED for a page table that names a page outside
// the cache. A run that is cancelled ends within one claim; what the command it was in wrote is undefined.
Result<ReplayOutcome> run_plan(const Plan& plan, const Replay& request, ThreadPool& pool,
                               ActiveThreads& active, ScratchMemory& scratch);

}  // namespace emberline
