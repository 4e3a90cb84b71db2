// The end of a submission, told by Metal on a thread of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace emberline::metal {

class Completion {
 public:
  // How long a cancel flag goes unseen while a submission is waited for.
  static constexpr std::chrono::microseconds kPoll{500};

  void reset() { done_ = false; }  // before the submission
  void signal() {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
    signalled_.notify_all();
  }
  // Waits. Where `cancel` becomes true meanwhile, calls `on_cancel` once.
  template <typename OnCancel>
  void wait(const std::atomic<bool>& cancel, OnCancel on_cancel) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!done_) {
      if (cancel.load(std::memory_order_relaxed)) {
        on_cancel();
        break;
      }
      signalled_.wait_for(lock, kPoll, [this] { return done_; });
    }
    signalled_.wait(lock, [this] { return done_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable signalled_;
  bool done_ = false;
};

}  // namespace emberline::metal
