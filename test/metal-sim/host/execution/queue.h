// A command queue: submissions run one after the other in the order of their commits.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "host/execution/executor.h"

namespace emberline::metal_sim {

// The values of MTLCommandBufferStatus.
enum class SubmissionStatus : int {
  kNotEnqueued = 0,
  kEnqueued = 1,
  kCommitted = 2,
  kScheduled = 3,
  kCompleted = 4,
  kError = 5,
};

// One command buffer. Written by the encoding thread until it is committed, by the queue from then on.
struct Submission {
  std::unique_ptr<CommandList> list;
  std::atomic<SubmissionStatus> status = SubmissionStatus::kNotEnqueued;
  std::uint64_t number = 0;  // of Event; 0: not committed
  // Called on the thread that runs the submission: when it starts, and when its status is final. Waits end
  // after the latter. Empty once called.
  std::function<void()> scheduled, completed;
  // Final when the status is.
  ExecutionOutcome outcome;
  double gpu_start = 0, gpu_end = 0;  // seconds
  bool finished = false;              // its handlers have returned, too; guarded by the queue
};

class SubmissionQueue {
 public:
  SubmissionQueue();
  // Runs what was committed to its end.
  ~SubmissionQueue();
  SubmissionQueue(const SubmissionQueue&) = delete;
  SubmissionQueue& operator=(const SubmissionQueue&) = delete;

  // An empty list, used before if there is one.
  std::unique_ptr<CommandList> take_list();
  void give_back(std::unique_ptr<CommandList> list);

  void commit(std::shared_ptr<Submission> submission);
  // Returns when the committed `submission` and its handlers are through.
  void wait(Submission& submission);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace emberline::metal_sim
