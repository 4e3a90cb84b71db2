// How many threads a computation that saturates memory and arithmetic should use on this machine.
#pragma once

namespace emberline {

// Physical cores (performance cores where the machine has two kinds) that this process may run on, within the
// processor quotas of its control groups; 1..kMaxRecommendedThreads. Looked up once.
int recommended_threads();

// More threads than this gain little for the models the engine runs, and take the editor's cores.
inline constexpr int kMaxRecommendedThreads = 8;

}  // namespace emberline
