// A barrier that also carries votes: to stop, and to go on with half as many threads.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/waitable_counter.h"

namespace emberline {

// One counter takes every arrival and is what all wait for, so a round costs each thread one change of a
// shared cache line and, unless it is the last to arrive, one read of it. Nothing is run by one thread on
// behalf of all: what follows a round, each thread concludes for itself from what it sees.
class Barrier {
 public:
  // What a thread knows of the barrier: each has its own.
  struct Party {
    std::uint64_t round = 0;     // the last one it was in; from 1
    std::uint32_t arrivals = 0;  // of all threads in all rounds up to that one
    int halvings = 0;
    int threads = 0;  // that come to the next round: those with the lowest numbers
  };
  struct Ask {
    bool stop = false;
    bool halve = false;  // of the first thread alone
  };
  struct Met {
    bool stop = false;
    WaitableCounter::Duration waited{};
  };

  explicit Barrier(int threads) : threads_(threads) {}

  Party party() const { return {.threads = threads_}; }

  // Returns when all have arrived in the next round; each then sees what all wrote before they arrived.
  // `stop` of the result is the same for all: whether any of them asked for it in this round. There is no
  // round after one in which somebody did. Afterwards party.threads is the same for all as well: half as many
  // (rounded up) where the first thread asked for it; the others have left.
  Met arrive_and_wait(Party& party, Ask ask) {
    ++party.round;
    if (party.threads == 1) return {ask.stop, {}};
    schedule_point("barrier.arrive");
    if (ask.stop) stop_round_.store(party.round, std::memory_order_relaxed);
    if (ask.halve)
      halved_[static_cast<std::size_t>(party.halvings)].store(party.round, std::memory_order_relaxed);
    party.arrivals += static_cast<std::uint32_t>(party.threads);
    Met met;
    if (arrived_.increment() == party.arrivals) {
      arrived_.wake();
    } else {
      met.waited = arrived_.wait(party.arrivals);
    }
    schedule_point("barrier.leave");
    // A faster thread may be in the next round and ask to stop there: that is not this round's number.
    met.stop = stop_round_.load(std::memory_order_relaxed) == party.round;
    // Nor is a later halving's. One is not written over by the next: a thread that leaves may come by when
    // the others are rounds ahead.
    while (party.threads > 1) {
      const std::uint64_t round =
          halved_[static_cast<std::size_t>(party.halvings)].load(std::memory_order_relaxed);
      if (round == 0 || round > party.round) break;
      ++party.halvings;
      party.threads = (party.threads + 1) / 2;
    }
    return met;
  }
  Met arrive_and_wait(Party& party) { return arrive_and_wait(party, Ask{}); }

 private:
  const int threads_;
  std::atomic<std::uint64_t> stop_round_{0};                // none
  std::array<std::atomic<std::uint64_t>, 32> halved_ = {};  // in which round each halving was asked for
  alignas(64) WaitableCounter arrived_;                     // in all rounds
};

}  // namespace emberline
