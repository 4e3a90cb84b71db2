#include "kernels/executor/scheduler.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "kernels/executor/locate.h"
#include "kernels/executor/memory_monitor.h"

namespace emberline::metal_sim {
namespace {

// A meeting takes as long as this many loads, so that a loop around one hits the step limit soon enough.
constexpr std::uint64_t kMeetingSteps = 64;

std::string place(const unsigned (&position)[3]) {
  return "(" + std::to_string(position[0]) + ", " + std::to_string(position[1]) + ", " +
         std::to_string(position[2]) + ")";
}

// The lowest set bit above `after`, or else the lowest: the next lane in turn. `mask` is not 0.
std::uint32_t next_lane(std::uint32_t mask, std::uint32_t after) {
  const std::uint32_t above = after == 31 ? 0 : mask & (~0u << (after + 1));
  return static_cast<std::uint32_t>(std::countr_zero(above != 0 ? above : mask));
}

}  // namespace

Scheduler Scheduler::the_one_;

Status Scheduler::begin_dispatch(const Launch& launch) {
  if (threads_ == nullptr) threads_ = std::make_unique<KernelThread[]>(kMaxThreadsPerThreadgroup);
  if (!stacks_.reserve(kMaxThreadsPerThreadgroup)) {
    return {ErrorCode::kOutOfMemory, "There is no room for the stacks of a simulated threadgroup."};
  }
  launch_ = launch;
  failed_ = false;
  barriers = 0;
  simdgroup_operations = 0;
  return {};
}

bool Scheduler::run_threadgroup(std::uint32_t count, ThreadOrder& order) {
  count_ = live_ = count;
  group_count_ = (count + kSimdWidth - 1) / kSimdWidth;
  at_barrier_ = stacks_used_ = 0;
  order_ = &order;
  for (std::uint32_t i = 0; i < count; ++i) {
    threads_[i].context = nullptr;
    threads_[i].steps = 0;
  }
  for (std::uint32_t i = 0; i < group_count_; ++i) {
    SimdGroup& group = groups_[i];
    const std::uint32_t lanes = std::min(count - i * kSimdWidth, kSimdWidth);
    group.lanes = group.live = group.ready = lanes == kSimdWidth ? ~0u : (1u << lanes) - 1;
    group.arrived = 0;
    group.participated = false;
    group.participation.fill(0);
  }
  std::uint32_t first = 0;
  if (order.kind() == Order::Kind::kDescending) first = count - 1;
  if (order.kind() == Order::Kind::kSeeded) first = order.random(count);
  host_thread_ = pthread_self();
  in_thread_ = true;
  resume(&main_, first);
  in_thread_ = false;
  return !failed_;
}

void Scheduler::resume(Context* save, std::uint32_t thread) {
  KernelThread& next = threads_[thread];
  ++switches_;
  current_ = &next;
  if (next.context == nullptr) next.context = stacks_.start(stacks_used_++, &Scheduler::fiber_main);
  metal_sim_switch(save, next.context);
}

void Scheduler::fiber_main() {
  instance().finish_threads();
}

// A fiber outlives its thread: it runs the next thread that has not begun, on the same stack.
void Scheduler::finish_threads() {
  for (;;) {
    ++switches_;
    current_->context = this;  // anything but null: begun
    launch_.entry(launch_.bindings, &current_->ids);
    end_current();
    const std::int64_t next = next_thread(current_->ids.thread_index_in_threadgroup);
    if (next < 0) {
      if (live_ != 0) fail_stuck(at_barrier_ != 0 ? Wait::kBarrier : Wait::kSimdgroup);
      leave();
    }
    KernelThread& thread = threads_[next];
    if (thread.context != nullptr) {
      Context abandoned;
      resume(&abandoned, static_cast<std::uint32_t>(next));
    }
    current_ = &thread;
  }
}

void Scheduler::end_current() {
  SimdGroup& group = simdgroup();
  const std::uint32_t bit = 1u << current_->ids.thread_index_in_simdgroup;
  group.ready &= ~bit;
  group.live &= ~bit;
  --live_;
  if (at_barrier_ != 0) {
    fail(FaultKind::kBarrierNotReached, "a thread has returned while others wait at a threadgroup_barrier",
         barrier_site_);
  }
  if (group.arrived != 0) {
    fail(FaultKind::kDivergentSimdgroup, "a lane has returned while others wait in a simdgroup operation",
         group.site);
  }
  if (group.live == 0 && group.participated) check_participation(group, group.lanes, nullptr);
}

std::int64_t Scheduler::next_thread(std::uint32_t from) {
  const std::uint32_t own = from / kSimdWidth;
  if (order_->kind() == Order::Kind::kAscending) {
    if (groups_[own].ready != 0) return own * kSimdWidth + next_lane(groups_[own].ready, from % kSimdWidth);
    for (std::uint32_t i = 1; i < group_count_; ++i) {
      const std::uint32_t group = (own + i) % group_count_;
      if (groups_[group].ready != 0) return group * kSimdWidth + std::countr_zero(groups_[group].ready);
    }
    return -1;
  }
  const bool seeded = order_->kind() == Order::Kind::kSeeded;
  const std::uint32_t start = seeded ? order_->random(group_count_) : own;
  for (std::uint32_t i = 0; i < group_count_; ++i) {
    const std::uint32_t group = (start + group_count_ - i) % group_count_;
    const std::uint32_t ready = groups_[group].ready;
    if (ready == 0) continue;
    if (seeded) return group * kSimdWidth + next_lane(ready, order_->random(kSimdWidth));
    return group * kSimdWidth + 31 - std::countl_zero(ready);
  }
  return -1;
}

void Scheduler::block(Wait wait) {
  KernelThread& me = *current_;
  simdgroup().ready &= ~(1u << me.ids.thread_index_in_simdgroup);
  const std::int64_t next = next_thread(me.ids.thread_index_in_threadgroup);
  if (next < 0) fail_stuck(wait);
  resume(&me.context, static_cast<std::uint32_t>(next));
}

void Scheduler::threadgroup_barrier(unsigned memory_flags, const void* site) {
  count_steps(kMeetingSteps);
  if (live_ != count_) {
    fail(FaultKind::kBarrierNotReached,
         "threadgroup_barrier after another thread of the threadgroup has returned", site);
  }
  if (at_barrier_ == 0) {
    barrier_site_ = site;
  } else if (barrier_site_ != site) {
    fail(FaultKind::kBarrierNotReached, "threads of one threadgroup wait at different threadgroup_barriers",
         site);
  }
  if (++at_barrier_ < count_) return block(Wait::kBarrier);
  ++barriers;
  at_barrier_ = 0;
  MemoryMonitor::instance().barrier(memory_flags);
  for (std::uint32_t i = 0; i < group_count_; ++i) groups_[i].ready = groups_[i].live;
}

std::uint64_t Scheduler::meet(unsigned operation, std::uint64_t value, const void* site) {
  count_steps(kMeetingSteps);
  SimdGroup& group = simdgroup();
  const std::uint32_t lane = current_->ids.thread_index_in_simdgroup;
  const unsigned generation = group.generation & 1u;
  // Reductions over the lanes that are left would be defined; what a shuffle reads of the others is not.
  if (group.live != group.lanes) {
    fail(FaultKind::kDivergentSimdgroup, "a simdgroup operation after another lane has returned", site);
  }
  if (group.arrived == 0) {
    group.operation = operation;
    group.site = site;
  } else if (group.site != site || group.operation != operation) {
    fail(FaultKind::kDivergentSimdgroup, "lanes of one simdgroup are in different simdgroup operations",
         site);
  }
  group.values[lane] = value;
  group.arrived |= 1u << lane;
  if (group.arrived != group.lanes) {
    block(Wait::kSimdgroup);
    return group.results[generation][lane];
  }
  complete(group);
  return group.results[generation][lane];
}

void Scheduler::complete(SimdGroup& group) {
  if (group.participated) check_participation(group, group.arrived, group.site);
  if (group.operation == METAL_SIM_MULTIPLY_ACCUMULATE && group.arrived != ~0u) {
    fail(FaultKind::kDivergentSimdgroup, "a simdgroup matrix operation without all 32 lanes", group.site);
  }
  ++simdgroup_operations;
  if (group.operation == METAL_SIM_BARRIER) {
    MemoryMonitor::instance().simdgroup_barrier(static_cast<unsigned>(group.value_of_any()),
                                                static_cast<std::uint32_t>(&group - groups_.data()));
  }
  group.compute();
  ++group.generation;
  group.ready |= group.arrived;
  group.arrived = 0;
}

void Scheduler::take_part(const void* site) {
  SimdGroup& group = simdgroup();
  if (group.lanes != ~0u) {
    fail(FaultKind::kDivergentSimdgroup, "a simdgroup matrix operation without all 32 lanes", site);
  }
  std::uint64_t& participation = group.participation[current_->ids.thread_index_in_simdgroup];
  participation = participation * 0x9E3779B97F4A7C15u + reinterpret_cast<std::uintptr_t>(site);
  group.participated = true;
}

void Scheduler::check_participation(const SimdGroup& group, std::uint32_t lanes, const void* site) {
  const std::uint64_t expected = group.participation[static_cast<std::uint32_t>(std::countr_zero(lanes))];
  for (std::uint32_t mask = lanes; mask != 0; mask &= mask - 1) {
    if (group.participation[static_cast<std::uint32_t>(std::countr_zero(mask))] == expected) continue;
    fail(FaultKind::kDivergentSimdgroup, "not all lanes took part in the same simdgroup matrix operations",
         site);
  }
}

void Scheduler::leave() {
  Context abandoned;
  metal_sim_switch(&abandoned, main_);
  std::abort();  // nothing resumes what left
}

std::string Scheduler::describe_current() const {
  const metal_sim_thread& ids = current_->ids;
  return " (kernel " + launch_.kernel + ", thread " + std::to_string(ids.thread_index_in_threadgroup) +
         " of threadgroup " + place(ids.threadgroup_position_in_grid) + ")";
}

Context Scheduler::abandon(FaultKind kind, const std::string& what, const void* site) {
  failed_ = true;
  fault_ = {kind, what + describe_current() + ".", locate(site)};
  return main_;
}

void Scheduler::fail(FaultKind kind, const std::string& what, const void* site) {
  abandon(kind, what, site);
  leave();
}

void Scheduler::fail_step_limit() {
  fail(FaultKind::kStepLimit, "a thread took more than " + std::to_string(launch_.steps_per_thread) +
                                  " steps: it waits for another threadgroup, or never ends");
}

// Nobody can run: `wait` is what the last thread that could waits for.
void Scheduler::fail_stuck(Wait wait) {
  for (std::uint32_t i = 0; i < group_count_; ++i) {
    const SimdGroup& group = groups_[i];
    if (group.arrived == 0) continue;
    fail(FaultKind::kDivergentSimdgroup,
         "lanes of simdgroup " + std::to_string(i) +
             " wait in a simdgroup operation that the others, at a barrier, never reach",
         group.site);
  }
  fail(FaultKind::kBarrierNotReached,
       wait == Wait::kBarrier ? "threadgroup_barrier not reached by all threads" : "all threads wait",
       barrier_site_);
}

}  // namespace emberline::metal_sim
