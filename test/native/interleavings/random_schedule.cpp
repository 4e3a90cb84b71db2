#include "interleavings/random_schedule.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace emberline::testing {
namespace {

constexpr std::size_t kShown = 80;                        // points of a failed run
constexpr std::uint64_t kMostPoints = 20'000'000;         // more: nobody gets on
constexpr std::uint64_t kFewestBits = 4, kMostBits = 14;  // of how long a run may be
constexpr std::uint64_t kMostChanges = 4;                 // d - 1
constexpr std::uint64_t kMostSwitchBits = 7;
constexpr std::uint64_t kSpuriousOneIn = 32;
// Above what a thread falls to, which is the number of its change point.
constexpr std::uint64_t kLeastPriority = 1000;

}  // namespace

RandomSchedule::RandomSchedule(std::uint64_t seed, bool traced)
    : random_(seed), traced_(traced), last_(kShown) {
  by_priority_ = seed % 2 == 0;
  if (by_priority_) {
    const std::uint64_t length = std::uint64_t{1} << (kFewestBits + draw(kMostBits - kFewestBits + 1));
    const std::uint64_t changes = draw(kMostChanges + 1);
    for (std::uint64_t change = 0; change < changes; ++change) change_points_.push_back(1 + draw(length));
    std::ranges::sort(change_points_);
  } else {
    switch_one_in_ = std::uint64_t{1} << draw(kMostSwitchBits + 1);
  }
  announce();
  schedule_of_thread = this;
}

RandomSchedule::~RandomSchedule() {
  schedule_of_thread = nullptr;
  for (Thread& thread : threads()) sem_destroy(&thread.turn);
}

RandomSchedule::ThreadId RandomSchedule::announce() {
  if (count_ == kMostThreads) fail("there are more threads than a schedule has places for");
  Thread& thread = places_[count_];
  thread.priority = kLeastPriority + (random_() >> 1);
  sem_init(&thread.turn, 0, 0);
  return count_++;
}

void RandomSchedule::begin(ThreadId thread) {
  while (sem_wait(&places_[thread].turn) != 0) {
  }
}

void RandomSchedule::end(ThreadId thread) {
  note("thread.end");
  places_[thread].state = State::kEnded;
  wake_all(&places_[thread]);
  const ThreadId next = choose(true);
  current_ = next;
  ++switches_;
  schedule_of_thread = nullptr;
  sem_post(&places_[next].turn);
}

void RandomSchedule::note(const char* place) {
  places_[current_].place = place;
  last_[passed_ % kShown] = {current_, place};
  ++passed_;
  trace_hash_ = (trace_hash_ ^ current_) * 0x100000001B3u;
  for (const char c : std::string_view(place))
    trace_hash_ = (trace_hash_ ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  if (traced_)
    std::fprintf(stderr, "%8llu  %u %s\n", static_cast<unsigned long long>(passed_), current_, place);
  if (passed_ > kMostPoints) fail("nobody gets on");
}

void RandomSchedule::lower_where_due() {
  while (lowered_ < change_points_.size() && change_points_[lowered_] <= passed_)
    places_[current_].priority = lowered_++;
}

std::optional<RandomSchedule::ThreadId> RandomSchedule::overdue(bool at_once) {
  ThreadId first = 0;
  std::uint64_t due = 0;
  for (ThreadId id = 0; id < count_; ++id) {
    const std::uint64_t of_this = places_[id].due;
    if (of_this == 0 || (due != 0 && of_this >= due)) continue;
    first = id;
    due = of_this;
  }
  if (due == 0 || (due > passed_ && !at_once)) return std::nullopt;
  places_[first].due = 0;
  places_[first].state = State::kReady;
  return first;
}

RandomSchedule::ThreadId RandomSchedule::highest() {
  ThreadId best = current_;
  bool found = false;
  for (ThreadId id = 0; id < count_; ++id) {
    if (places_[id].state != State::kReady) continue;
    if (!found || places_[id].priority > places_[best].priority) best = id;
    found = true;
  }
  return best;
}

RandomSchedule::ThreadId RandomSchedule::choose(bool leaves) {
  if (const auto next = overdue(false)) return *next;
  const auto ready = std::ranges::count(threads(), State::kReady, &Thread::state);
  if (ready == 0) {
    if (const auto next = overdue(true)) return *next;
    fail("deadlock: every thread waits for another");
  }
  if (by_priority_) {
    lower_where_due();
    return highest();
  }
  if (!leaves && draw(switch_one_in_) != 0) return current_;
  std::uint64_t left = draw(static_cast<std::uint64_t>(ready));
  for (ThreadId id = 0;; ++id) {
    if (places_[id].state == State::kReady && left-- == 0) return id;
  }
}

void RandomSchedule::hand_over(ThreadId next) {
  const ThreadId self = current_;
  if (next == self) return;
  current_ = next;
  ++switches_;
  sem_post(&places_[next].turn);
  begin(self);
}

void RandomSchedule::pass(const char* place) {
  note(place);
  hand_over(choose(false));
}

void RandomSchedule::wait(const void* object, const char* place) {
  note(place);
  Thread& self = places_[current_];
  // What waits must look again for itself.
  if (draw(kSpuriousOneIn) == 0) return hand_over(choose(false));
  self.state = State::kWaiting;
  self.waits_for = object;
  hand_over(choose(true));
}

void RandomSchedule::let_pass(std::uint64_t points) {
  note("let_pass");
  Thread& self = places_[current_];
  self.state = State::kWaiting;
  self.waits_for = nullptr;
  self.due = passed_ + points;
  hand_over(choose(true));
}

void RandomSchedule::join(ThreadId thread) {
  note("thread.join");
  while (places_[thread].state != State::kEnded) wait(&places_[thread], "thread.join");
}

void RandomSchedule::wake_one(const void* object) {
  std::vector<Thread*> waiting;
  for (Thread& thread : threads()) {
    if (thread.state == State::kWaiting && thread.waits_for == object) waiting.push_back(&thread);
  }
  if (!waiting.empty()) waiting[draw(waiting.size())]->state = State::kReady;
}

void RandomSchedule::wake_all(const void* object) {
  for (Thread& thread : threads()) {
    if (thread.state == State::kWaiting && thread.waits_for == object) thread.state = State::kReady;
  }
}

void RandomSchedule::fail(const std::string& why) {
  std::fprintf(stderr, "%s\nBehind %llu points, the last of them (thread, place):\n", why.c_str(),
               static_cast<unsigned long long>(passed_));
  const std::uint64_t first = passed_ > kShown ? passed_ - kShown : 0;
  for (std::uint64_t i = first; i < passed_; ++i)
    std::fprintf(stderr, "  %u %s\n", last_[i % kShown].thread, last_[i % kShown].place);
  for (ThreadId id = 0; id < count_; ++id) {
    const Thread& thread = places_[id];
    const char* const state = thread.state == State::kEnded     ? "ended"
                              : thread.state == State::kWaiting ? "waits at"
                              : id == current_                  ? "runs, behind"
                                                                : "could run, behind";
    std::fprintf(stderr, "  thread %u %s %s\n", id, state, thread.state == State::kEnded ? "" : thread.place);
  }
  std::fflush(stderr);
  _exit(kFailed);
}

}  // namespace emberline::testing
