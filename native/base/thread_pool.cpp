#include "base/thread_pool.h"

#include <new>
#include <system_error>

#if defined(__x86_64__) || defined(_M_X64)
#include <emmintrin.h>
#endif

namespace emberline {
namespace {

// About 30 to 100 microseconds: longer than the spread of the workers' arrivals, shorter than a time slice.
constexpr int kSpins = 2000;

inline void relax_processor() {
#if defined(__x86_64__) || defined(_M_X64)
  _mm_pause();
#elif defined(__aarch64__) && !defined(_MSC_VER)
  __asm__ volatile("yield");
#endif
}

}  // namespace

void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    relax_processor();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

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
  task_ = nullptr;
  started_.fetch_add(1);
  started_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_erased(ErasedTask task, void* context) {
  if (!workers_.empty()) {
    task_ = task;
    context_ = context;
    running_.store(static_cast<std::uint32_t>(workers_.size()), std::memory_order_relaxed);
    started_.fetch_add(1);
    started_.notify_all();
  }
  task(context, 0);
  for (;;) {
    const std::uint32_t running = running_.load(std::memory_order_acquire);
    if (running == 0) return;
    wait_for_change(running_, running);
  }
}

void ThreadPool::work(int worker) {
  for (std::uint32_t seen = 0;; ++seen) {
    wait_for_change(started_, seen);
    if (task_ == nullptr) return;
    task_(context_, worker);
    if (running_.fetch_sub(1) == 1) running_.notify_all();
  }
}

}  // namespace emberline
