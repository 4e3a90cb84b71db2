// How many of its threads a device uses: fewer where other programs want the cores as well.
//
// Threads that meet at barriers get on only while each of them has a core. Beside a build that keeps every
// core busy each is without one most of the time, seldom at the same time, and all wait for it: two threads
// are then several times slower than one.
#pragma once

#include <chrono>

namespace emberline {

// Compares the threads in use with half as many. What they compute without waiting, half as many would have
// computed in twice the time; what they waited for one that had no core, half as many might have saved. When
// the waits have cost kLoss more than the computing gained, the number is halved: the cumulative sum test of
// E. S. Page, "Continuous inspection schemes", Biometrika 41 (1954), which forgets what was gained long
// before. It is doubled again after a while, which grows as long as that proves to be too early, and is never
// less than kRest times what that cost the last time: where a thread gets a core after tenths of a second
// alone, each attempt costs as much.
//
// Used by one thread. Gives the same numbers for the same calls: it has no clock of its own.
class ActiveThreads {
 public:
  using Duration = std::chrono::steady_clock::duration;
  using Time = std::chrono::steady_clock::time_point;

  static constexpr Duration kLoss = std::chrono::milliseconds(10);
  // Shorter waits are what shares of unequal size cost on a machine that does nothing else.
  static constexpr Duration kShortWait = std::chrono::microseconds(300);
  static constexpr Duration kFirstRest = std::chrono::milliseconds(100);
  static constexpr Duration kLongestRest = std::chrono::seconds(2);
  // Of what the attempt cost, and at most.
  static constexpr int kRest = 20;
  static constexpr Duration kLongestRestOfCost = std::chrono::seconds(30);

  explicit ActiveThreads(int threads) : all_(threads), count_(threads) {}

  int count() const { return count_; }

  // A run begins; doubles the number when that is due. Returns it.
  int begin(Time now);
  // In a run, after the thread that counts has waited for others. True when the number was halved (rounded
  // up).
  bool halve_after(Duration waited, Time now);
  // A run has ended, or was abandoned.
  void end(Time now);

 private:
  void compute_until(Time now, Duration waited);

  const int all_;
  int count_;
  Duration loss_{};      // at least 0
  Time counted_{};       // up to when loss_ counts
  Duration computed_{};  // since the number was last doubled
  Duration rest_ = kFirstRest;
  Duration cost_{};  // of what ended with the last halving: what waits in that run cost more than was gained
  Time began_{};     // the last run
  Time halved_{};
};

}  // namespace emberline
