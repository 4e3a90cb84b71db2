#include "base/waitable_counter.h"

#include <thread>

#include "base/stopwatch.h"

#if defined(_MSC_VER)
#include <intrin.h>
#elif defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace emberline {
namespace {

// Looks between two looks at the clock, which costs as much as one of them.
constexpr int kLooks = 32;

// 10 to 50 ns in which the core does little.
inline void relax_processor() {
#if defined(__x86_64__) || defined(_M_X64)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");  // `yield` does nothing on most cores
#elif defined(_M_ARM64)
  __isb(_ARM64_BARRIER_SY);
#endif
}

}  // namespace

WaitableCounter::Duration WaitableCounter::wait_longer(std::uint32_t target) {
  const auto start = steady_now();
  // Under a schedule nobody gets on while this one looks.
  for (Duration waited{}; !under_schedule() && waited < kTimeToPark; waited = steady_now() - start) {
    if (waited >= kSpinTime) std::this_thread::yield();
    for (int look = 0; look < kLooks; ++look) {
      if (reached(target)) return waited;
      relax_processor();
    }
  }
  schedule_point("counter.park");
  parked_.fetch_add(1);
  for (;;) {
    const std::uint32_t value = value_.load();
    if (static_cast<std::int32_t>(value - target) >= 0) break;
    wait_while(value_, value);
  }
  schedule_point("counter.unpark");
  parked_.fetch_sub(1);
  return steady_now() - start;
}

}  // namespace emberline
