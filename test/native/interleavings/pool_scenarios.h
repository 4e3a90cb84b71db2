// The thread pool and its barrier, which a test may replace by broken ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"
#include "interleavings/course.h"
#include "take.h"

namespace emberline::testing {

// Runs of a pool, or of its first workers, each with rounds of a barrier that somebody may stop, and behind
// which half of them may leave; then the pool is gone at once.
template <typename Pool, typename Barrier>
void run_rounds_of_a_pool(Course& course) {
  const int threads = static_cast<int>(1 + course.draw(4));
  const auto pool = take(Pool::create(threads));
  for (std::uint64_t runs = 1 + course.draw(3); runs > 0; --runs) {
    const std::uint64_t rounds = 1 + course.draw(4);
    const std::uint64_t stopped_in = 1 + course.draw(2 * rounds);
    const std::uint64_t last = stopped_in < rounds ? stopped_in : rounds;
    const int in_this_run = static_cast<int>(1 + course.draw(static_cast<std::uint64_t>(threads)));
    const std::uint64_t halved_in = 1 + course.draw(2 * rounds);
    // Those that are still there then.
    const bool leave_before = halved_in < stopped_in;
    const int stoppers = leave_before ? (in_this_run + 1) / 2 : in_this_run;
    const int stopper = static_cast<int>(course.draw(static_cast<std::uint64_t>(stoppers)));
    Barrier barrier(in_this_run);
    std::array<std::uint64_t, 4> reached{}, ended{};
    auto task = [&](int worker) {
      const auto self = static_cast<std::size_t>(worker);
      auto party = barrier.party();
      for (std::uint64_t round = 1; round <= rounds && worker < party.threads; ++round) {
        reached[self] = round;
        ended[self] = round;
        const int came = party.threads;
        const bool stops = worker == stopper && round == stopped_in;
        if (barrier.arrive_and_wait(party, {stops, worker == 0 && round == halved_in}).stop) return;
        for (std::size_t other = 0; other < static_cast<std::size_t>(came); ++other)
          course.expect(reached[other] >= round, "what all wrote before a barrier is seen behind it");
      }
    };
    pool->run(task, in_this_run);
    for (int worker = 0; worker < threads; ++worker) {
      const bool leaves = worker >= (in_this_run + 1) / 2 && halved_in < last;
      const std::uint64_t expected = worker >= in_this_run ? 0 : leaves ? halved_in : last;
      course.expect(ended[static_cast<std::size_t>(worker)] == expected,
                    "each leaves in the round in which one asks to stop, or for fewer");
    }
  }
}

}  // namespace emberline::testing
