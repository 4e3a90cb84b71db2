#include "host/control/events.h"

#include <mutex>

#include "host/control/reset.h"

namespace emberline::metal_sim {
namespace {

struct State {
  std::mutex lock;
  std::uint64_t submissions = 0;
  std::vector<Event> events;
};

State& state() {
  static auto* const made = new State;
  return *made;
}

}  // namespace

std::vector<Event> events() {
  const std::lock_guard guard(state().lock);
  return state().events;
}

std::uint64_t next_submission() {
  const std::lock_guard guard(state().lock);
  return ++state().submissions;
}

void record_event(EventKind kind, std::uint64_t submission) {
  const std::lock_guard guard(state().lock);
  state().events.push_back({kind, submission});
}

void reset_events() {
  const std::lock_guard guard(state().lock);
  state().submissions = 0;
  state().events.clear();
}

}  // namespace emberline::metal_sim
