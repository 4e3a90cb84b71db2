#include "host/execution/executor.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "host/control/counts.h"
#include "host/control/failures.h"
#include "host/control/schedule.h"
#include "host/execution/concurrent_group.h"
#include "host/execution/event_state.h"

namespace emberline::metal_sim {
namespace {

// What a command buffer ends in when one of its kernels misbehaves.
SubmissionError error_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kOutOfBounds:
    case FaultKind::kReadOnlyWrite:
    case FaultKind::kUnboundBuffer: return SubmissionError::kPageFault;
    case FaultKind::kStepLimit: return SubmissionError::kTimeout;
    case FaultKind::kStackOverflow: return SubmissionError::kStackOverflow;
    default: return SubmissionError::kInternal;
  }
}

class Run {
 public:
  Run(const CommandList& list, std::uint64_t submission, bool may_block)
      : list_(list), submission_(submission), may_block_(may_block), group_(list) {}

  ExecutionOutcome run() {
    if (fault_ && fault_->after_dispatches == 0) return failed(fault_->error, "an injected fault");
    for (std::uint32_t at = 0; at < list_.commands.size() && !outcome_.error; at++) {
      switch (list_.commands[at].kind) {
        case CommandKind::kDispatch:
        case CommandKind::kCopy:
        case CommandKind::kFill:
        case CommandKind::kResourceBarrier: group_.add(at); break;
        case CommandKind::kBarrier: run_group(); break;
        case CommandKind::kSignal:
        case CommandKind::kWait:
          run_group();
          if (!outcome_.error) run_event(list_.commands[at]);
          break;
      }
    }
    if (!outcome_.error) run_group();
    if (!outcome_.error && fault_) failed(fault_->error, "an injected fault");
    if (!clock_) outcome_.gpu_seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    return std::move(outcome_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  ExecutionOutcome failed(SubmissionError error, std::string sentence) {
    outcome_.error = error;
    outcome_.sentence = std::move(sentence);
    return outcome_;
  }

  void run_group() {
    if (group_.empty()) return;
    for (const std::uint32_t command :
         group_.order(schedule_.shuffle_dispatches, schedule_.seed + groups_++)) {
      if (list_.commands[command].kind == CommandKind::kDispatch) {
        run_dispatch(command);
      } else {
        run_copy_or_fill(command);
      }
      if (outcome_.error) return;
    }
    if (schedule_.find_missing_barriers) {
      if (std::string sentence = group_.conflict(); !sentence.empty()) {
        report_failure(FailureKind::kMissingBarrier, std::move(sentence));
      }
    }
    group_.clear();
  }

  void run_event(const Command& command) {
    if (command.kind == CommandKind::kSignal) {
      command.event->raise(command.value);
    } else if (may_block_) {
      command.event->wait(command.value);
    } else if (command.event->current() < command.value) {
      report_failure(FailureKind::kDeadlock,
                     "a command buffer waits for an event that nothing before it signals");
      failed(SubmissionError::kTimeout, "an event was never signalled");
    }
  }

  void run_copy_or_fill(std::uint32_t at) {
    const Command& command = list_.commands[at];
    const auto arguments = list_.arguments_of(command);
    const Argument& last = arguments[arguments.size() - 1];
    if (command.kind == CommandKind::kFill) {
      std::memset(last.memory->data + last.offset, command.fill_value, last.bytes);
    } else {
      std::memmove(last.memory->data + last.offset, arguments[0].memory->data + arguments[0].offset,
                   last.bytes);
      group_.accessed(at, *arguments[0].memory, arguments[0].offset, false);
    }
    group_.accessed(at, *last.memory, last.offset, true);
  }

  // The grid of an indirect dispatch is read when its turn comes.
  Size grid_of(const Command& command) const {
    if (command.indirect == nullptr) return command.grid;
    std::array<std::uint32_t, 3> written;
    std::memcpy(written.data(), command.indirect->data + command.indirect_offset, sizeof written);
    return {written[0], written[1], written[2]};
  }

  void run_dispatch(std::uint32_t at) {
    const Command& command = list_.commands[at];
    PipelineCode& code = *command.code;
    Dispatch dispatch{code.pipeline, {}, {}, {}, {}, {}};
    bound_.clear();
    for (const Argument& argument : list_.arguments_of(command)) {
      // Bytes of setBytes are constants: the copy in the list is as good as one of their own.
      std::byte* const data = argument.memory != nullptr
                                  ? argument.memory->data + argument.offset
                                  : const_cast<std::byte*>(list_.bytes.data()) + argument.offset;
      dispatch.buffers[argument.index] = {data, argument.bytes};
      bound_.push_back({argument.index, argument.memory == nullptr ? nullptr : &argument.memory->label,
                        argument.memory == nullptr ? 0 : argument.offset, data, argument.bytes});
    }
    for (const ThreadgroupLength& length : list_.lengths_of(command)) {
      dispatch.threadgroup_bytes[length.index] = length.bytes;
    }
    dispatch.threadgroups = grid_of(command);
    dispatch.threads_per_threadgroup = command.threads;
    if (command.grid_in_threads) dispatch.threads = command.grid;

    const Size& grid = dispatch.threadgroups;
    const bool empty = !command.grid_in_threads && (grid.width == 0 || grid.height == 0 || grid.depth == 0);
    const DispatchView view{
        submission_, dispatches_, code.label, empty ? Size{0, 0, 0} : grid, command.indirect != nullptr,
        bound_};
    if (before_) before_(view);
    Counters counters;
    if (!empty) {
      if (const auto fault = metal_sim::run(dispatch, schedule_.threads, &counters)) {
        failed(error_of(fault->kind), std::string(fault_name(fault->kind)) + ": " + fault->sentence);
        report_failure(FailureKind::kKernelFault, outcome_.sentence);
        return;
      }
    }
    note_traffic(at, counters);
    count_dispatch(command, counters, empty);
    if (after_) after_(view);
    if (clock_) outcome_.gpu_seconds += clock_(view);
    dispatches_++;
    if (fault_ && dispatches_ >= fault_->after_dispatches) failed(fault_->error, "an injected fault");
  }

  void note_traffic(std::uint32_t at, const Counters& counters) {
    const Command& command = list_.commands[at];
    const auto arguments = list_.arguments_of(command);
    for (std::size_t i = 0; i < arguments.size(); i++) {
      BoundBuffer& bound = bound_[i];
      bound.bytes_read = counters.bytes_read[bound.index];
      bound.bytes_written = counters.bytes_written[bound.index];
      if (arguments[i].memory == nullptr || bound.bytes_read + bound.bytes_written == 0) continue;
      group_.accessed(at, *arguments[i].memory, arguments[i].offset, bound.bytes_written != 0);
    }
    if (command.indirect != nullptr)
      group_.accessed(at, *command.indirect, ConcurrentGroup::kAnywhere, false);
  }

  void count_dispatch(const Command& command, const Counters& counters, bool empty) {
    count([&](Counts& all) {
      KernelCount& kernel = all.kernels[command.code->label];
      (empty ? all.empty_dispatches : all.dispatches)++;
      (empty ? kernel.empty_dispatches : kernel.dispatches)++;
      if (command.indirect != nullptr) all.indirect_dispatches++;
      kernel.threadgroups += counters.threadgroups;
      for (const BoundBuffer& bound : bound_) {
        if (bound.bytes_read + bound.bytes_written == 0) continue;
        const std::string label = bound.label == nullptr ? "(bytes)"
                                  : bound.label->empty() ? "(unlabelled)"
                                                         : *bound.label;
        Traffic& traffic = all.traffic[{command.code->label, label}];
        traffic.bytes_read += bound.bytes_read;
        traffic.bytes_written += bound.bytes_written;
      }
    });
  }

  const CommandList& list_;
  const std::uint64_t submission_;
  const bool may_block_;
  const Schedule schedule_ = schedule();
  const DispatchHook before_ = before_dispatch(), after_ = after_dispatch();
  const std::function<double(const DispatchView&)> clock_ = gpu_clock();
  const std::optional<SubmissionFault> fault_ = submission_fault();
  const Clock::time_point began_ = Clock::now();
  ConcurrentGroup group_;
  std::uint64_t groups_ = 0, dispatches_ = 0;
  std::vector<BoundBuffer> bound_;
  ExecutionOutcome outcome_;
};

}  // namespace

ExecutionOutcome execute(const CommandList& list, std::uint64_t submission, bool may_block) {
  return Run(list, submission, may_block).run();
}

}  // namespace emberline::metal_sim
