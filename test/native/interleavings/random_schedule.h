// A schedule drawn from a seed: the same seed, the same schedule.
//
// Every second seed follows PCT (Burckhardt, Kothari, Musuvathi and Nagarakatte, "A Randomized Scheduler with
// Probabilistic Guarantees of Finding Bugs", ASPLOS 2010): each thread gets a random priority, the highest
// that can run does, and at d - 1 random points the one that runs falls below all others. A bug that needs d
// such choices among n threads in k points is found with a probability of at least 1 / (n k^(d-1)) a run. How
// long a run will be is not known before, so k is drawn, too: a power of two. The other seeds walk at random:
// at each point another thread goes on, with a probability that the seed draws.
#pragma once

#include <semaphore.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/schedule.h"

namespace emberline::testing {

class RandomSchedule final : public Schedule {
 public:
  // How the process ends where a run fails: what fail() prints stands above.
  static constexpr int kFailed = 3;

  // The calling thread is its thread 0, and under it as long as it lives. `traced`: every point is printed.
  explicit RandomSchedule(std::uint64_t seed, bool traced = false);
  // All other threads have been joined.
  ~RandomSchedule() override;
  RandomSchedule(const RandomSchedule&) = delete;
  RandomSchedule& operator=(const RandomSchedule&) = delete;

  void pass(const char* place) override;
  void wait(const void* object, const char* place) override;
  void join(ThreadId thread) override;
  void wake_one(const void* object) override;
  void wake_all(const void* object) override;
  std::chrono::nanoseconds time() override { return std::chrono::microseconds(passed_); }
  ThreadId announce() override;
  void begin(ThreadId thread) override;
  void end(ThreadId thread) override;

  // Below `count`, which is at least 1; of the seed, for what a scenario decides.
  std::uint64_t draw(std::uint64_t count) { return random_() % count; }
  // Returns behind `points` more points of the others, at once when they have got so far, or when none of
  // them can go on.
  void let_pass(std::uint64_t points);
  // Prints why, what each thread does and the last points, and ends the process with kFailed.
  [[noreturn]] void fail(const std::string& why);

  std::uint64_t points() const { return passed_; }
  std::uint64_t switches() const { return switches_; }
  // Of all points in their order, with the threads that passed them.
  std::uint64_t trace_hash() const { return trace_hash_; }

 private:
  static constexpr std::size_t kMostThreads = 256;  // of a run, also those that ended
  enum class State { kReady, kWaiting, kEnded };
  struct Thread {
    State state = State::kReady;
    const void* waits_for = nullptr;
    const char* place = "";
    std::uint64_t due = 0;  // of let_pass: the number of a point; 0: none
    std::uint64_t priority = 0;
    sem_t turn;
  };
  struct Passed {
    ThreadId thread;
    const char* place;
  };

  std::span<Thread> threads() { return std::span(places_).first(count_); }
  void note(const char* place);
  // Who goes on, the current thread if it can and nothing speaks against it; `leaves`: it cannot.
  ThreadId choose(bool leaves);
  ThreadId highest();
  // Lets `next` run; returns when it is this thread's turn again.
  void hand_over(ThreadId next);
  void lower_where_due();
  // One that let_pass() holds no longer.
  std::optional<ThreadId> overdue(bool at_once);

  std::mt19937_64 random_;
  const bool traced_;
  bool by_priority_ = false;
  std::uint64_t switch_one_in_ = 1;           // of a random walk
  std::vector<std::uint64_t> change_points_;  // of PCT, rising
  // In one place: a new thread looks for its own while others are announced.
  std::array<Thread, kMostThreads> places_;
  ThreadId count_ = 0;
  ThreadId current_ = 0;
  std::uint64_t passed_ = 0, switches_ = 0, lowered_ = 0;
  std::uint64_t trace_hash_ = 0xCBF29CE484222325u;
  std::vector<Passed> last_;  // a ring
};

}  // namespace emberline::testing
