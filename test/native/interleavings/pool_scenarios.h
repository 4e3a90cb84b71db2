// The thread pool and its barrier, which a test may replace by broken ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"
#include "interleavings/course.h"
#include "take.h"

namespace emberline::testing {

// Runs of a pool, each with rounds of a barrier that somebody may stop; then the pool is gone at once.
template <typename Pool, typename Barrier>
void run_rounds_of_a_pool(Course& course) {
  const int threads = static_cast<int>(1 + course.draw(4));
  const auto pool = take(Pool::create(threads));
  for (std::uint64_t runs = 1 + course.draw(3); runs > 0; --runs) {
    const std::uint64_t rounds = 1 + course.draw(4);
    const std::uint64_t stopped_in = 1 + course.draw(2 * rounds);
    const std::uint64_t last = stopped_in < rounds ? stopped_in : rounds;
    const int stopper = static_cast<int>(course.draw(static_cast<std::uint64_t>(threads)));
    Barrier barrier(threads);
    std::array<std::uint64_t, 4> reached{}, ended{};
    auto task = [&](int worker) {
      const auto self = static_cast<std::size_t>(worker);
      for (std::uint64_t round = 1; round <= rounds; ++round) {
        reached[self] = round;
        ended[self] = round;
        if (barrier.arrive_and_wait(round, worker == stopper && round == stopped_in)) return;
        for (std::size_t other = 0; other < static_cast<std::size_t>(threads); ++other)
          course.expect(reached[other] >= round, "what all wrote before a barrier is seen behind it");
      }
    };
    pool->run(task);
    for (std::size_t worker = 0; worker < static_cast<std::size_t>(threads); ++worker)
      course.expect(ended[worker] == last, "all leave in the round in which one asks to stop");
  }
}

}  // namespace emberline::testing
