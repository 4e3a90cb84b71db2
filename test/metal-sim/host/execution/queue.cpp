#include "host/execution/queue.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "host/control/counts.h"
#include "host/control/events.h"
#include "host/control/schedule.h"

namespace emberline::metal_sim {

// Shared with the worker, which may outlive the queue: the last reference to a queue can be the one that the
// completed handler of its last command buffer lets go of.
struct SubmissionQueue::State {
  std::mutex lock;
  std::condition_variable changed;
  std::deque<std::shared_ptr<Submission>> waiting;
  std::vector<std::unique_ptr<CommandList>> lists;
  bool running = false;  // somebody runs a submission
  bool closed = false;
  std::thread worker;
  double gpu_time = 0;  // seconds: when the last submission ended, where the clock is a test's

  // Runs the first waiting submission. Called and returns with `guard` locked, `running` false.
  void run_first(std::unique_lock<std::mutex>& guard, bool may_block);
  void work();
};

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void SubmissionQueue::State::run_first(std::unique_lock<std::mutex>& guard, bool may_block) {
  const std::shared_ptr<Submission> submission = std::move(waiting.front());
  waiting.pop_front();
  running = true;
  guard.unlock();

  record_event(EventKind::kStart, submission->number);
  submission->status = SubmissionStatus::kScheduled;
  if (submission->scheduled) submission->scheduled();
  submission->gpu_start = std::max(seconds_now(), gpu_time);
  submission->outcome = execute(*submission->list, submission->number, may_block);
  gpu_time = submission->gpu_end = submission->gpu_start + submission->outcome.gpu_seconds;
  submission->list->clear();
  submission->status = submission->outcome.error ? SubmissionStatus::kError : SubmissionStatus::kCompleted;
  record_event(EventKind::kComplete, submission->number);
  if (submission->completed) submission->completed();
  // These hold the command buffer. It lives on in whoever waits; else it, and with it the queue, may end
  // here.
  submission->scheduled = nullptr;
  submission->completed = nullptr;

  guard.lock();
  lists.push_back(std::move(submission->list));
  submission->finished = true;
  running = false;
  changed.notify_all();
}

void SubmissionQueue::State::work() {
  std::unique_lock guard(lock);
  for (;;) {
    changed.wait(
        guard, [this] { return closed || (!waiting.empty() && schedule().execution == Execution::kWorker); });
    if (waiting.empty()) return;
    guard.unlock();
    wait_while_paused();
    guard.lock();
    // A thread that waits may have taken it meanwhile.
    changed.wait(guard, [this] { return !running; });
    if (!waiting.empty()) run_first(guard, true);
  }
}

SubmissionQueue::SubmissionQueue() : state_(std::make_shared<State>()) {}

SubmissionQueue::~SubmissionQueue() {
  std::unique_lock guard(state_->lock);
  state_->closed = true;
  state_->changed.notify_all();
  std::thread worker = std::move(state_->worker);
  guard.unlock();
  if (!worker.joinable()) return;
  if (worker.get_id() == std::this_thread::get_id()) {
    worker.detach();  // it ends by itself: it shares the state
  } else {
    worker.join();
  }
}

std::unique_ptr<CommandList> SubmissionQueue::take_list() {
  const std::lock_guard guard(state_->lock);
  if (state_->lists.empty()) return std::make_unique<CommandList>();
  auto list = std::move(state_->lists.back());
  state_->lists.pop_back();
  return list;
}

void SubmissionQueue::give_back(std::unique_ptr<CommandList> list) {
  list->clear();
  const std::lock_guard guard(state_->lock);
  state_->lists.push_back(std::move(list));
}

void SubmissionQueue::commit(std::shared_ptr<Submission> submission) {
  count([&](Counts& all) {
    all.submissions++;
    all.encoders += submission->list->encoders;
    all.barriers += submission->list->barriers;
  });
  const std::lock_guard guard(state_->lock);
  submission->number = next_submission();
  submission->status = SubmissionStatus::kCommitted;
  record_event(EventKind::kSubmit, submission->number);
  state_->waiting.push_back(std::move(submission));
  if (schedule().execution == Execution::kWorker && !state_->worker.joinable()) {
    state_->worker = std::thread([state = state_] { state->work(); });
  }
  state_->changed.notify_all();
}

void SubmissionQueue::wait(Submission& submission) {
  const std::uint64_t number = submission.number;
  record_event(EventKind::kWaitBegin, number);
  count([](Counts& all) { all.waits++; });
  std::unique_lock guard(state_->lock);
  while (!submission.finished) {
    if (schedule().execution == Execution::kAtWait && !state_->running && !state_->waiting.empty()) {
      state_->run_first(guard, false);
    } else {
      state_->changed.wait(guard);
    }
  }
  guard.unlock();
  record_event(EventKind::kWaitEnd, number);
}

}  // namespace emberline::metal_sim
