// How long something takes.
#pragma once

#include <chrono>

#include "base/schedule.h"

namespace emberline {

// The time now; under a schedule what has run so far.
inline std::chrono::steady_clock::time_point steady_now() {
#if defined(EMBERLINE_SCHEDULE_POINTS)
  if (under_schedule()) return std::chrono::steady_clock::time_point(schedule_of_thread->time());
#endif
  return std::chrono::steady_clock::now();
}

class Stopwatch {
 public:
  // Since it was made or restarted.
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(steady_now() - start_).count();
  }
  void restart() { start_ = steady_now(); }

 private:
  std::chrono::steady_clock::time_point start_ = steady_now();
};

}  // namespace emberline
