#include "base/thread_pool.h"

#include <new>
#include <span>
#include <system_error>
#include <utility>

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
    for (int index = 1; index < threads; ++index) {
      auto worker = std::make_unique<Worker>();
      worker->thread =
          Thread([target = worker.get(), all = pool.get(), index] { all->work(*target, index); });
      pool->workers_.push_back(std::move(worker));
    }
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kOutOfMemory, "There is no memory for another thread; use fewer threads.");
  } catch (const std::system_error&) {
    return Status(ErrorCode::kOutOfMemory, "The system refused to start another thread; use fewer threads.");
  }
  return pool;
}

ThreadPool::~ThreadPool() {
  for (const auto& worker : workers_) start(*worker, nullptr, nullptr);
  for (const auto& worker : workers_) worker->thread.join();
}

void ThreadPool::start(Worker& worker, ErasedTask task, void* context) {
  worker.task = task;
  worker.context = context;
  schedule_point("pool.start");
  worker.started.increment();
  worker.started.wake();
}

void ThreadPool::run_erased(ErasedTask task, void* context, int threads) {
  if (threads == 1) return task(context, 0);
  const auto others = std::span(workers_).first(static_cast<std::size_t>(threads - 1));
  finished_target_ += static_cast<std::uint32_t>(others.size());
  for (const auto& worker : others) start(*worker, task, context);
  task(context, 0);
  finished_.wait(finished_target_);
}

void ThreadPool::work(Worker& worker, int index) {
  lower_thread_priority();
  for (std::uint32_t run = 1;; ++run) {
    worker.started.wait(run);
    if (worker.task == nullptr) return;
    worker.task(worker.context, index);
    schedule_point("pool.finish");
    finished_.increment();
    finished_.wake();
  }
}

}  // namespace emberline
