// A counter that some threads advance and others wait for: what the thread pool and its barrier are made of.
//
// Waiting has three steps. First the processor spins, because what is waited for is usually microseconds
// away and a trip through the kernel costs tens of them. Then it goes on looking, but gives its core away to
// whatever else wants to run between two looks. Last it parks in the kernel and takes no processor time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/threads.h"

namespace emberline {

// How long a thread keeps its core while it waits. Short, because on a busy machine the thread that is waited
// for may need this very core, and then every barrier costs this much; a core that nobody wants is given back
// in half a microsecond.
inline constexpr std::chrono::microseconds kSpinTime{5};

// Longer than what the engine does between two submissions of a request (bytes of a token, sampling on the
// host: up to about 0.3 ms), so that workers park once a request and not once a token: waking a parked thread
// takes 30 microseconds and more.
inline constexpr std::chrono::microseconds kTimeToPark{500};

class WaitableCounter {
 public:
  using Duration = std::chrono::steady_clock::duration;

  // Returns the new value. What the thread wrote before is seen by whoever waited for that value or an
  // earlier one. A thread that waits may be parked: wake() follows when the value is one that is waited for.
  std::uint32_t increment() {
    schedule_point("counter.increment");
    return value_.fetch_add(1) + 1;
  }

  // Costs one load when nobody is parked.
  void wake() {
    schedule_point("counter.wake");
    if (parked_.load() != 0) wake_waiters(value_);
  }

  // The counter wraps: targets are at most 2^31 - 1 away from it.
  bool reached(std::uint32_t target) const {
    return static_cast<std::int32_t>(value_.load(std::memory_order_acquire) - target) >= 0;
  }

  // Returns when the counter has reached `target`: after about how long. Returns at once, and is inlined,
  // when it has already.
  Duration wait(std::uint32_t target) {
    schedule_point("counter.wait");
    return reached(target) ? Duration{} : wait_longer(target);
  }

 private:
  Duration wait_longer(std::uint32_t target);

  // Sequentially consistent where one thread changes the value and looks for parked threads while another
  // counts itself as parked and looks at the value: one of them sees the other.
  std::atomic<std::uint32_t> value_{0};
  std::atomic<std::uint32_t> parked_{0};
};

}  // namespace emberline
