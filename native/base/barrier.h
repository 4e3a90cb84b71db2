// A barrier that also carries a vote to stop.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/waitable_counter.h"

namespace emberline {

// For a fixed number of threads. All of them count the rounds for themselves, from 1.
//
// One counter takes every arrival and is what all wait for, so a round costs each thread one change of a
// shared cache line and, unless it is the last to arrive, one read of it. Nothing is run by one thread on
// behalf of all: what follows a round, each thread concludes for itself from what it sees.
class Barrier {
 public:
  explicit Barrier(int parties) : parties_(static_cast<std::uint32_t>(parties)) {}

  // Returns when all parties have arrived in `round`; each then sees what all wrote before they arrived.
  // The result is the same for all: whether any of them asked to stop in this round. There is no round after
  // one that returned true.
  bool arrive_and_wait(std::uint64_t round, bool stop = false) {
    schedule_point("barrier.arrive");
    if (stop) stop_round_.store(round, std::memory_order_relaxed);
    const std::uint32_t all = static_cast<std::uint32_t>(round) * parties_;
    if (arrived_.increment() == all) {
      arrived_.wake();
    } else {
      arrived_.wait(all);
    }
    schedule_point("barrier.leave");
    // A faster thread may be in the next round and ask to stop there: that is not this round's number.
    return stop_round_.load(std::memory_order_relaxed) == round;
  }

 private:
  const std::uint32_t parties_;
  std::atomic<std::uint64_t> stop_round_{0};  // none
  alignas(64) WaitableCounter arrived_;       // in all rounds
};

}  // namespace emberline
