// How many steps of a chain to submit at once.
//
// Long chunks save submissions, short ones show text and see a cancel early. Where it is known how long a
// step takes, the first chunk is what the latency budget allows; otherwise it is one step, which tells. From
// then on chunks double while they stay within the budget.
#pragma once

#include <cstdint>

namespace emberline {

class ChunkPlan {
 public:
  // `budget_ms`: the longest a submission should take. `most`: steps the buffers allow, >= 1. `step_ms`: what
  // a step took when it was last measured; 0: not known.
  ChunkPlan(double budget_ms, std::uint32_t most, double step_ms = 0);

  // Steps of the next chunk, 1..most.
  std::uint32_t next() const { return next_; }

  // What the last chunk took. `steps` >= 1.
  void record(std::uint32_t steps, double ms);
  // As last measured; 0: not known.
  double step_ms() const { return step_ms_; }

 private:
  double budget_ms_;
  std::uint32_t most_;
  double step_ms_;
  std::uint32_t next_ = 1;
};

}  // namespace emberline
