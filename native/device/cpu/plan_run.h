// Runs a plan on the threads of a pool.
#pragma once

#include "base/thread_pool.h"
#include "device/cpu/plan.h"
#include "device/cpu/scratch_memory.h"
#include "device/device.h"

namespace emberline {

// One run of the pool for the whole chain. INVALID_ARGUMENT for rows, steps or positions the plan does not
// admit and for tokens outside the vocabulary; LOGITS_NOT_FINITE; DEVICE_FAILED for a page table
// that names a page outside the cache. The cancel flag is polled at every claim of
// work, so a run ends within a small part of one command; what such a command wrote is undefined.
Result<ReplayOutcome> run_plan(const Plan& plan, const Replay& request, ThreadPool& pool,
                               ScratchMemory& scratch);

}  // namespace emberline
