#include "base/active_threads.h"

#include <algorithm>

namespace emberline {

int ActiveThreads::begin(Time now) {
  if (count_ < all_ && now - halved_ >= std::max(rest_, std::min(kRest * cost_, kLongestRestOfCost))) {
    count_ = std::min(all_, 2 * count_);
    loss_ = computed_ = cost_ = Duration{};
    halved_ = now;  // the next doubling, if there is one to come, waits as long again
  }
  began_ = counted_ = now;
  return count_;
}

bool ActiveThreads::halve_after(Duration waited, Time now) {
  if (waited < kShortWait) return false;
  compute_until(now, waited);
  // The others have yet to learn that they are not needed.
  if (halved_ > began_) cost_ += waited;
  if (loss_ < kLoss || count_ == 1) return false;
  // What was doubled and went well for a while was not too early.
  rest_ = computed_ < kLongestRest ? std::min(2 * rest_, kLongestRest) : kFirstRest;
  count_ = (count_ + 1) / 2;
  cost_ = std::max(cost_, loss_);
  loss_ = Duration{};
  halved_ = now;
  return true;
}

void ActiveThreads::end(Time now) {
  compute_until(now, Duration{});
}

void ActiveThreads::compute_until(Time now, Duration waited) {
  const Duration computed = now - counted_ - waited;
  loss_ = std::max(Duration{}, loss_ + waited - computed);
  computed_ += computed;
  counted_ = now;
}

}  // namespace emberline
