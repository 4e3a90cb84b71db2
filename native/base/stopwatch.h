// How long something takes.
#pragma once

#include <chrono>

#include "base/schedule.h"

namespace emberline {

class Stopwatch {
 public:
  // Since it was made or restarted.
  double milliseconds() const { return std::chrono::duration<double, std::milli>(now() - start_).count(); }
  void restart() { start_ = now(); }

 private:
  using Clock = std::chrono::steady_clock;
  static Clock::time_point now() {
#if defined(EMBERLINE_SCHEDULE_POINTS)
    if (under_schedule()) return Clock::time_point(schedule_of_thread->time());
#endif
    return Clock::now();
  }

  Clock::time_point start_ = now();
};

}  // namespace emberline
