#include "host/control/counts.h"

#include <mutex>

#include "host/control/reset.h"

namespace emberline::metal_sim {
namespace {

struct State {
  std::mutex lock;
  Counts counts;
  std::int64_t resident = 0;
};

State& state() {
  static auto* const made = new State;
  return *made;
}

}  // namespace

Traffic Counts::traffic_of(const std::string& buffer_label) const {
  Traffic sum;
  for (const auto& [key, moved] : traffic) {
    if (key.second != buffer_label) continue;
    sum.bytes_read += moved.bytes_read;
    sum.bytes_written += moved.bytes_written;
  }
  return sum;
}

Counts counts() {
  const std::lock_guard guard(state().lock);
  return state().counts;
}

void clear_counts() {
  const std::lock_guard guard(state().lock);
  state().counts = {};
}

std::int64_t resident_allocations() {
  const std::lock_guard guard(state().lock);
  return state().resident;
}

void change_resident(std::int64_t by) {
  const std::lock_guard guard(state().lock);
  state().resident += by;
}

void count(const std::function<void(Counts&)>& change) {
  const std::lock_guard guard(state().lock);
  change(state().counts);
}

void reset_counts() {
  clear_counts();
}

}  // namespace emberline::metal_sim
