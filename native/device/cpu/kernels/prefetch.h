// Memory that is read next, fetched while something else is computed from what is there already. Included by
// the kernels_*.cpp files alone, behind the `Vector` of their set; as all that they are made of it is in an
// unnamed namespace.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emberline {
namespace {

// A processor guesses what is read next by what was read last, and begins anew at the end of each run; those
// of a cache's keys and values are short. So the loops say it, a little in each step: all at once would wait
// for what the first level has under way.
class PrefetchAhead {
 public:
  // `bytes` behind `next`, any address, in so many steps of two lines at most.
  PrefetchAhead(const void* next, std::size_t bytes, std::size_t steps)
      : at_(reinterpret_cast<std::uintptr_t>(next)), step_(bytes / steps) {}

  void step() {
    prefetch(at_);
    if (step_ > kLine) prefetch(at_ + kLine);
    at_ += step_;
  }

 private:
  static constexpr std::size_t kLine = 64;

  // An address, and no pointer: there may be nothing.
  static void prefetch(std::uintptr_t address) {
    Vector::prefetch(reinterpret_cast<const void*>(address));  // NOLINT(performance-no-int-to-ptr)
  }

  std::uintptr_t at_;
  std::size_t step_;
};

struct PrefetchNothing {
  void step() const {}
};

}  // namespace
}  // namespace emberline
