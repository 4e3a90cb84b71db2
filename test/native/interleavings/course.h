// One run of a scenario under a schedule.
#pragma once

#include <cstdint>
#include <string>

#include "interleavings/random_schedule.h"

namespace emberline::testing {

class Course {
 public:
  explicit Course(RandomSchedule& schedule) : schedule_(schedule) {}

  std::uint64_t draw(std::uint64_t count) { return schedule_.draw(count); }
  bool draw_bool() { return draw(2) == 1; }
  // Others get on by so many points: few or many are equally likely.
  void let_pass() { schedule_.let_pass(1 + draw(std::uint64_t{1} << draw(kMostPassedBits))); }
  void expect(bool holds, const char* what) {
    if (!holds) schedule_.fail(std::string("not so: ") + what);
  }

 private:
  static constexpr std::uint64_t kMostPassedBits = 13;

  RandomSchedule& schedule_;
};

struct Scenario {
  const char* name;
  void (*run)(Course&);
  void (*prepare)() = [] {};  // before the first run, under no schedule
};

}  // namespace emberline::testing
