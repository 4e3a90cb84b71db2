// Which of several runnable threads, or threadgroups, goes next.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/simulator.h"

namespace emberline::metal_sim {

class ThreadOrder {
 public:
  explicit ThreadOrder(Order order) : order_(order), state_(order.seed * 2654435761u + 1) {}

  Order::Kind kind() const { return order_.kind; }
  // 0 .. below-1, only meaningful for a seeded order.
  std::uint32_t random(std::uint32_t below) {
    state_ = state_ * 747796405u + 2891336453u;
    return static_cast<std::uint32_t>((std::uint64_t{state_} * below) >> 32);
  }
  // The order in which `count` threadgroups run.
  std::vector<std::uint32_t> threadgroups(std::uint32_t count);

 private:
  Order order_;
  std::uint32_t state_;
};

}  // namespace emberline::metal_sim
