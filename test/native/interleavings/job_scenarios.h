// The addon's thread of jobs, which a test may replace by a broken one.
#pragma once

#include <cstdint>

#include "base/threads.h"
#include "interleavings/course.h"

namespace emberline::testing {

// Two threads post while a third finishes: what was accepted has run before the end.
template <typename Jobs>
void post_while_it_ends(Course& course) {
  Jobs thread;
  course.expect(!thread.post([] {}), "a thread that was not started takes no job");
  course.expect(thread.start().ok(), "there is a thread");
  int ran = 0, before_the_end = -1;
  int accepted[2] = {0, 0};
  const std::uint64_t jobs = 1 + course.draw(4);
  const auto post = [&](int& count) {
    for (std::uint64_t job = 0; job < jobs; ++job) {
      if (thread.post([&ran] { ++ran; })) ++count;
    }
  };
  Thread one([&] { post(accepted[0]); }), two([&] { post(accepted[1]); });
  if (course.draw_bool()) course.let_pass();
  thread.finish([&] { before_the_end = ran; });
  thread.finish([&] { before_the_end = -2; });
  thread.join();
  one.join();
  two.join();
  course.expect(before_the_end == accepted[0] + accepted[1], "what was accepted has run before the end");
  course.expect(!thread.post([] {}), "a thread that ended takes no job");
}

}  // namespace emberline::testing
