#include "kernels/executor/fault_signals.h"

#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

#include "kernels/executor/memory_monitor.h"
#include "kernels/executor/scheduler.h"

namespace emberline::metal_sim {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGVTALRM};
constexpr std::size_t kStackBytes = 256 << 10;  // the handler starts the symbolizer
std::array<struct sigaction, kSignals.size()> previous;

// Nanoseconds of processor time between two looks of the watchdog, and how many looks without progress are
// enough.
constexpr long kWatchdogInterval = 150'000'000;
constexpr int kWatchdogLooks = 4;

// True when the thread that runs has done nothing that counts as a step for too long.
bool hangs(const Scheduler& scheduler) {
  static std::uint64_t seen = 0;
  static int looks = 0;
  const std::uint64_t progress = scheduler.progress();
  looks = progress == seen ? looks + 1 : 0;
  seen = progress;
  return looks >= kWatchdogLooks;
}

void resume_instead(void* context, Context to) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  registers[REG_RSP] = reinterpret_cast<greg_t>(to);
  registers[REG_RIP] = reinterpret_cast<greg_t>(metal_sim_resume);
}

void classify(int signal, const siginfo_t& info, FaultKind& kind, std::string& what) {
  if (signal == SIGILL) {
    kind = FaultKind::kUndefinedBehaviour;
    what = "code that cannot be reached was reached";
    return;
  }
  if (signal == SIGFPE) {
    kind = FaultKind::kUndefinedBehaviour;
    what = "an integer division by zero, or of the lowest number by -1";
    return;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  if (Scheduler::instance().stacks().is_guard(address)) {
    kind = FaultKind::kStackOverflow;
    what = "more than " + std::to_string(FiberStacks::kStackBytes / 1024) + " KiB of private memory";
  } else if (const int slot = MemoryMonitor::instance().unbound_slot(address); slot >= 0) {
    kind = FaultKind::kUnboundBuffer;
    what = "an access through buffer(" + std::to_string(slot) + "), which is not bound";
  } else {
    kind = FaultKind::kOutOfBounds;
    what = "an access " + MemoryMonitor::instance().describe(address);
  }
}

void handle(int signal, siginfo_t* info, void* context) {
  Scheduler& scheduler = Scheduler::instance();
  if (!scheduler.in_thread() && signal == SIGVTALRM) return;
  if (!scheduler.in_thread()) {
    // Not ours: what was there before finds the same fault again when the instruction is repeated.
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      if (kSignals[i] == signal) sigaction(signal, &previous[i], nullptr);
    }
    return;
  }
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  FaultKind kind{};
  std::string what;
  if (signal == SIGVTALRM) {
    if (!hangs(scheduler)) return;
    resume_instead(
        context,
        scheduler.abandon(FaultKind::kStepLimit,
                          "a thread loops without loads, stores or barriers, and never ends", code + 1));
    return;
  }
  classify(signal, *info, kind, what);
  // Locations are those of calls, one byte before the address that a call leaves behind.
  resume_instead(context, scheduler.abandon(kind, what, code + 1));
}

}  // namespace

FaultSignals::FaultSignals() : stack_(new char[kStackBytes]) {
  stack_t stack{};
  stack.ss_sp = stack_.get();
  stack.ss_size = kStackBytes;
  sigaltstack(&stack, &previous_stack_);
  struct sigaction action{};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &previous[i]);

  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGVTALRM;
  event._sigev_un._tid = gettid();
  watching_ = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &watchdog_) == 0;
  const itimerspec every{{0, kWatchdogInterval}, {0, kWatchdogInterval}};
  if (watching_) timer_settime(watchdog_, 0, &every, nullptr);
}

FaultSignals::~FaultSignals() {
  if (watching_) timer_delete(watchdog_);
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &previous[i], nullptr);
  sigaltstack(&previous_stack_, nullptr);
}

}  // namespace emberline::metal_sim
