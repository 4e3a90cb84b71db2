// How many steps of a greedy chain to submit at once.
//
// Long chunks save submissions, short ones show text and see a cancel early. The first chunk is one step, so
// that text appears at once and a step's time is known; then chunks double while they stay within the latency
// budget.
#pragma once

#include <cstdint>

namespace emberline {

class ChunkPlan {
 public:
  // `budget_ms`: the longest a submission should take. `most`: steps the buffers allow, >= 1.
  ChunkPlan(double budget_ms, std::uint32_t most) : budget_ms_(budget_ms), most_(most) {}

  // Steps of the next chunk, 1..most.
  std::uint32_t next() const { return next_; }

  // What the last chunk took. `steps` >= 1.
  void record(std::uint32_t steps, double ms);

 private:
  double budget_ms_;
  std::uint32_t most_;
  std::uint32_t next_ = 1;
};

}  // namespace emberline
