// A queue into which any thread puts things and from which one thread takes them, without a lock: neither
// side ever waits for the other. Between the JS thread and an engine's thread that matters, because the
// latter runs at a lowered priority: were it put aside while it held a lock, the JS thread would wait until
// it came to run again.
//
// A stack of intrusive links (R. K. Treiber, "Systems Programming: Coping with Parallelism", IBM Research
// Report RJ 5118, 1986) that is taken as a whole and turned round. Nothing is ever taken off its top alone,
// so that an address that comes back does no harm (the ABA problem). Allocates nothing.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/schedule.h"

namespace emberline::addon {

class Inbox {
 public:
  // What is put in derives from it, and is in one inbox at a time.
  struct Link {
    Link* next = nullptr;
  };

  // Any thread. Whoever takes `link` sees what was written before. False, and it is not put in, once closed.
  bool push(Link& link) noexcept { return put(link, 0); }

  // Any thread: puts the last thing in. False, and nothing happens, where it was closed before.
  bool close(Link& last) noexcept { return put(last, kClosed); }

  // Any thread: nothing can be put in any more.
  void close() noexcept { top_.fetch_or(kClosed); }

  // One thread: all there is, in the order in which it was put in, chained by `next`; null where there is
  // nothing.
  Link* take() noexcept {
    schedule_point("inbox.take");
    Link* newest = link_of(top_.fetch_and(kClosed));
    Link* oldest = nullptr;
    while (newest != nullptr) {
      Link* const older = newest->next;
      newest->next = oldest;
      oldest = newest;
      newest = older;
    }
    return oldest;
  }

 private:
  // In the lowest bit of the address.
  static constexpr std::uintptr_t kClosed = 1;
  static_assert(alignof(Link) > kClosed);

  static Link* link_of(std::uintptr_t top) noexcept {
    return reinterpret_cast<Link*>(top & ~kClosed);  // NOLINT(performance-no-int-to-ptr)
  }

  // Sequentially consistent, since what wakes the taker is another variable: either the taker sees the link,
  // or whoever put it in sees that the taker has to be woken.
  bool put(Link& link, std::uintptr_t closes) noexcept {
    std::uintptr_t top = top_.load(std::memory_order_relaxed);
    do {
      schedule_point("inbox.put");
      if ((top & kClosed) != 0) return false;
      link.next = link_of(top);
    } while (!top_.compare_exchange_weak(top, reinterpret_cast<std::uintptr_t>(&link) | closes));
    return true;
  }

  std::atomic<std::uintptr_t> top_{0};
};

}  // namespace emberline::addon
