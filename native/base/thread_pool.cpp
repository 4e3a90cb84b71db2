#include "base/thread_pool.h"

#include <new>
#include <system_error>

#include "base/thread_priority.h"

namespace emberline {

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(int threads) {
  if (threads < 1 || threads > kMaxThreads) {
    return Status(ErrorCode::kInvalidArgument, "The number of threads must be 1 to 64.");
  }
  std::unique_ptr<ThreadPool> pool;
  try {
    pool.reset(new ThreadPool());
    pool->workers_.reserve(static_cast<std::size_t>(threads - 1));
    for (int worker = 1; worker < threads; ++worker) {
      pool->workers_.emplace_back([target = pool.get(), worker] { target->work(worker); });
    }
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kOutOfMemory, "There is no memory for another thread; use fewer threads.");
  } catch (const std::system_error&) {
    return Status(ErrorCode::kOutOfMemory, "The system refused to start another thread; use fewer threads.");
  }
  return pool;
}

ThreadPool::~ThreadPool() {
  start(nullptr, nullptr);
  for (Thread& worker : workers_) worker.join();
}

void ThreadPool::start(ErasedTask task, void* context) {
  task_ = task;
  context_ = context;
  schedule_point("pool.start");
  started_.increment();
  started_.wake();
}

void ThreadPool::run_erased(ErasedTask task, void* context) {
  if (workers_.empty()) return task(context, 0);
  finished_target_ += static_cast<std::uint32_t>(workers_.size());
  start(task, context);
  task(context, 0);
  finished_.wait(finished_target_);
}

void ThreadPool::work(int worker) {
  lower_thread_priority();
  for (std::uint32_t run = 1;; ++run) {
    started_.wait(run);
    if (task_ == nullptr) return;
    task_(context_, worker);
    schedule_point("pool.finish");
    finished_.increment();
    finished_.wake();
  }
}

}  // namespace emberline
