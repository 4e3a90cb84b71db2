// What base/threads.h has in a build with marked points. Under no Schedule each does what the standard
// library's does.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/schedule.h"

namespace emberline {

class ScheduledThread {
 public:
  ScheduledThread() = default;
  template <typename Work>
  explicit ScheduledThread(Work work) {
    Schedule* const schedule = schedule_of_thread;
    if (schedule == nullptr) {
      thread_ = std::thread(std::move(work));
      return;
    }
    id_ = schedule->announce();
    thread_ = std::thread([schedule, id = id_, work = std::move(work)]() mutable {
      schedule_of_thread = schedule;
      schedule->begin(id);
      {
        // What it holds goes while it is its turn.
        Work own = std::move(work);
        own();
      }
      schedule->end(id);
    });
    schedule->pass("thread.started");
  }

  bool joinable() const { return thread_.joinable(); }
  void join() {
    if (schedule_of_thread != nullptr) schedule_of_thread->join(id_);
    thread_.join();
  }

 private:
  std::thread thread_;
  Schedule::ThreadId id_ = 0;
};

class ScheduledMutex {
 public:
  void lock() {
    if (schedule_of_thread == nullptr) return system_.lock();
    schedule_point("mutex.lock");
    while (held_) schedule_of_thread->wait(this, "mutex.lock");
    held_ = true;
  }
  void unlock() {
    if (schedule_of_thread == nullptr) return system_.unlock();
    let_go();
    schedule_point("mutex.unlock");
  }

 private:
  friend class ScheduledConditionVariable;
  void let_go() {
    held_ = false;
    schedule_of_thread->wake_all(this);
  }

  std::mutex system_;
  bool held_ = false;
};

class ScheduledConditionVariable {
 public:
  void wait(std::unique_lock<ScheduledMutex>& lock) {
    if (schedule_of_thread == nullptr) {
      std::unique_lock system(lock.mutex()->system_, std::adopt_lock);
      system_.wait(system);
      (void)system.release();
      return;
    }
    schedule_point("condition.wait");
    lock.mutex()->let_go();
    schedule_of_thread->wait(this, "condition.wait");
    lock.mutex()->lock();
  }
  template <typename Predicate>
  void wait(std::unique_lock<ScheduledMutex>& lock, Predicate holds) {
    while (!holds()) wait(lock);
  }
  void notify_one() {
    if (schedule_of_thread == nullptr) return system_.notify_one();
    schedule_point("condition.notify");
    schedule_of_thread->wake_one(this);
  }
  void notify_all() {
    if (schedule_of_thread == nullptr) return system_.notify_all();
    schedule_point("condition.notify");
    schedule_of_thread->wake_all(this);
  }

 private:
  std::condition_variable system_;
};

template <typename T>
class ScheduledBeside {
 public:
  template <typename Work>
  explicit ScheduledBeside(Work work) {
    if (schedule_of_thread == nullptr) {
      future_ = std::async(std::launch::async | std::launch::deferred, std::move(work));
      return;
    }
    made_ = std::make_unique<Made>();
    thread_ = ScheduledThread([made = made_.get(), work = std::move(work)]() mutable {
      try {
        made->value.emplace(work());
      } catch (...) {
        made->error = std::current_exception();
      }
    });
  }
  ScheduledBeside(ScheduledBeside&&) = default;
  ScheduledBeside& operator=(ScheduledBeside&&) = delete;
  ~ScheduledBeside() {
    if (thread_.joinable()) thread_.join();
  }

  T get() {
    if (made_ == nullptr) return future_.get();
    thread_.join();
    if (made_->error != nullptr) std::rethrow_exception(made_->error);
    return std::move(*made_->value);
  }

 private:
  struct Made {
    std::optional<T> value;
    std::exception_ptr error;
  };
  std::future<T> future_;
  std::unique_ptr<Made> made_;
  ScheduledThread thread_;
};

inline void wait_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  if (schedule_of_thread == nullptr) return word.wait(value);
  schedule_point("word.wait");
  if (word.load() == value) schedule_of_thread->wait(&word, "word.wait");
}
inline void wake_waiters(std::atomic<std::uint32_t>& word) {
  if (schedule_of_thread == nullptr) return word.notify_all();
  schedule_point("word.wake");
  schedule_of_thread->wake_all(&word);
}

}  // namespace emberline
