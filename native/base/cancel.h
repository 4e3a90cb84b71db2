// The flag with which a request is cancelled, by any thread.
#pragma once

#include <atomic>

namespace emberline {

// Whether it is set; null: nobody cancels. Nothing else is told by it, so no order is asked for.
inline bool is_cancelled(const std::atomic<bool>* cancel) {
  return cancel != nullptr && cancel->load(std::memory_order_relaxed);
}

}  // namespace emberline
