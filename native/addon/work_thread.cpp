#include "addon/work_thread.h"

#include <exception>
#include <mutex>
#include <utility>

#include "base/thread_priority.h"

namespace emberline::addon {

Status WorkThread::start() {
  try {
    accepting_ = true;
    thread_ = Thread([this] { run(); });
  } catch (const std::exception&) {  // no thread, or no memory for one
    accepting_ = false;
    return {ErrorCode::kOutOfMemory,
            "The system gave no thread for the engine; close other programs and try again."};
  }
  return {};
}

bool WorkThread::post(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (!accepting_) return false;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

void WorkThread::finish(Job last) {
  {
    const std::lock_guard lock(mutex_);
    if (!accepting_) return;
    accepting_ = false;
    last_ = std::move(last);
  }
  changed_.notify_one();
}

void WorkThread::join() {
  if (thread_.joinable()) thread_.join();
}

void WorkThread::run() {
  lower_thread_priority();
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !jobs_.empty() || !accepting_; });
      const bool ends = jobs_.empty();
      if (ends && !last_) return;
      job = std::move(ends ? last_ : jobs_.front());
      if (ends) {
        last_ = nullptr;
      } else {
        jobs_.pop_front();
      }
    }
    try {
      job();
    } catch (const std::exception&) {
      // Only memory can have run out, where even the answer could not be made. The promise waits; the editor
      // lives.
    }
  }
}

}  // namespace emberline::addon
