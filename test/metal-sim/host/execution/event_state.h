// The value of an MTLEvent, which host and GPU wait for and raise.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace emberline::metal_sim {

struct EventState {
  void raise(std::uint64_t to) {
    const std::lock_guard guard(lock);
    value = to;
    changed.notify_all();
  }
  std::uint64_t current() {
    const std::lock_guard guard(lock);
    return value;
  }
  void wait(std::uint64_t for_value) {
    std::unique_lock guard(lock);
    changed.wait(guard, [&] { return value >= for_value; });
  }
  bool wait(std::uint64_t for_value, std::chrono::milliseconds at_most) {
    std::unique_lock guard(lock);
    return changed.wait_for(guard, at_most, [&] { return value >= for_value; });
  }

  std::mutex lock;
  std::condition_variable changed;
  std::uint64_t value = 0;
};

}  // namespace emberline::metal_sim
