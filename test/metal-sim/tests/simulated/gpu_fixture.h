// What tests ask of a GPU that may be a real one (test/metal-gpu), here of the simulated one.
#pragma once

#include <functional>

#include "device_fixture.h"

namespace emberline::testing {

using GpuTest = SimulatedMac;

// Lets dispatches between barriers run in a random order.
inline void shuffle_dispatches(std::uint32_t seed = 1, metal_sim::Order threads = {}) {
  metal_sim::Schedule schedule;
  schedule.threads = threads;
  schedule.shuffle_dispatches = true;
  schedule.seed = seed;
  metal_sim::set_schedule(schedule);
}

// Runs `work` several times, with threads and dispatches in another order each time.
inline void in_several_orders(const std::function<void()>& work) {
  for (const metal_sim::Order order : {metal_sim::Order::ascending(), metal_sim::Order::descending(),
                                       metal_sim::Order::seeded(3), metal_sim::Order::seeded(4)}) {
    shuffle_dispatches(order.seed, order);
    work();
  }
}

}  // namespace emberline::testing
