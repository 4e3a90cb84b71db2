#include "host/control/schedule.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "host/control/reset.h"

namespace emberline::metal_sim {
namespace {

struct State {
  std::mutex lock;
  std::condition_variable resumed;
  bool paused = false;
  Schedule schedule;
  DispatchHook before, after;
  std::function<double(const DispatchView&)> clock;
};

State& state() {
  static auto* const made = new State;
  return *made;
}

}  // namespace

void set_schedule(const Schedule& schedule) {
  const std::lock_guard guard(state().lock);
  state().schedule = schedule;
}

Schedule schedule() {
  const std::lock_guard guard(state().lock);
  return state().schedule;
}

PausedGpu::PausedGpu() {
  const std::lock_guard guard(state().lock);
  state().paused = true;
}

PausedGpu::~PausedGpu() {
  const std::lock_guard guard(state().lock);
  state().paused = false;
  state().resumed.notify_all();
}

void wait_while_paused() {
  std::unique_lock guard(state().lock);
  state().resumed.wait(guard, [] { return !state().paused; });
}

void set_before_dispatch(DispatchHook hook) {
  const std::lock_guard guard(state().lock);
  state().before = std::move(hook);
}

void set_after_dispatch(DispatchHook hook) {
  const std::lock_guard guard(state().lock);
  state().after = std::move(hook);
}

void set_gpu_clock(std::function<double(const DispatchView&)> seconds) {
  const std::lock_guard guard(state().lock);
  state().clock = std::move(seconds);
}

DispatchHook before_dispatch() {
  const std::lock_guard guard(state().lock);
  return state().before;
}

DispatchHook after_dispatch() {
  const std::lock_guard guard(state().lock);
  return state().after;
}

std::function<double(const DispatchView&)> gpu_clock() {
  const std::lock_guard guard(state().lock);
  return state().clock;
}

void reset_schedule() {
  const std::lock_guard guard(state().lock);
  state().schedule = {};
  state().before = nullptr;
  state().after = nullptr;
  state().clock = nullptr;
}

}  // namespace emberline::metal_sim
