#include "kernels/executor/thread_order.h"

#include <algorithm>
#include <numeric>

namespace emberline::metal_sim {

std::vector<std::uint32_t> ThreadOrder::threadgroups(std::uint32_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  if (kind() == Order::Kind::kDescending) std::reverse(order.begin(), order.end());
  if (kind() == Order::Kind::kSeeded) {
    for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[random(i)]);
  }
  return order;
}

}  // namespace emberline::metal_sim
