// Numbers by groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace emberline::grammar {

// Those of a group lie side by side, in the order in which they came: a counting sort.
class Grouped {
 public:
  // `each(add)` calls add(group, number) for all of them; it is called twice. Groups are below `groups`.
  template <typename Each>
  Grouped(std::size_t groups, const Each& each) : begin_(groups + 1, 0) {
    each([this](std::uint32_t group, std::uint32_t) { ++begin_[group]; });
    std::uint32_t sum = 0;
    for (std::uint32_t& count : begin_) sum += std::exchange(count, sum);
    numbers_.resize(sum);
    std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
    each([&](std::uint32_t group, std::uint32_t number) { numbers_[at[group]++] = number; });
  }

  std::span<const std::uint32_t> of(std::uint32_t group) const {
    return {numbers_.data() + begin_[group], begin_[group + 1] - begin_[group]};
  }

 private:
  std::vector<std::uint32_t> begin_;  // [groups + 1]
  std::vector<std::uint32_t> numbers_;
};

}  // namespace emberline::grammar
