#include "addon/work_thread.h"

#include <exception>
#include <memory>
#include <utility>

#include "base/thread_priority.h"

namespace emberline::addon {

Status WorkThread::start() {
  try {
    started_ = true;
    thread_ = Thread([this] { run(); });
  } catch (const std::exception&) {  // no thread, or no memory for one
    started_ = false;
    return {ErrorCode::kOutOfMemory,
            "The system gave no thread for the engine; close other programs and try again."};
  }
  return {};
}

bool WorkThread::post(Job job) {
  if (!started_) return false;
  auto queued = std::make_unique<Queued>();
  queued->run = std::move(job);
  if (!jobs_.push(*queued)) return false;
  queued.release();  // the thread's; NOLINT(bugprone-unused-return-value)
  wake();
  return true;
}

void WorkThread::finish(Job last) {
  if (!started_ || finishes_.exchange(true)) return;
  last_.run = std::move(last);
  jobs_.close(last_);
  wake();
}

void WorkThread::join() {
  if (thread_.joinable()) thread_.join();
}

void WorkThread::wake() {
  posted_.fetch_add(1);
  wake_waiters(posted_);
}

void WorkThread::run() {
  lower_thread_priority();
  for (;;) {
    const std::uint32_t posted = posted_.load();
    Inbox::Link* next = jobs_.take();
    if (next == nullptr) wait_while(posted_, posted);
    while (next != nullptr) {
      auto* const queued = static_cast<Queued*>(next);
      const bool ends = queued == &last_;
      const std::unique_ptr<Queued> owned(ends ? nullptr : queued);
      next = queued->next;
      const Job job = std::move(queued->run);
      ++turns_;
      try {
        job();
      } catch (const std::exception&) {
        // Only memory can have run out, where even the answer could not be made. The promise waits; the
        // editor lives.
      }
      ++turns_;
      if (ends) return;
    }
  }
}

}  // namespace emberline::addon
