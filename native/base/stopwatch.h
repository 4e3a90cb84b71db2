// How long something takes.
#pragma once

#include <chrono>

namespace emberline {

class Stopwatch {
 public:
  // Since it was made or restarted.
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }
  void restart() { start_ = std::chrono::steady_clock::now(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace emberline
