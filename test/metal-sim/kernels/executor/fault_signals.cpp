#include "kernels/executor/fault_signals.h"

#include <ucontext.h>

#include <array>
#include <cstdint>
#include <string>

#include "kernels/executor/memory_monitor.h"
#include "kernels/executor/scheduler.h"

namespace emberline::metal_sim {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
constexpr std::size_t kStackBytes = 256 << 10;  // the handler starts the symbolizer
std::array<struct sigaction, kSignals.size()> previous;

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
  if (!scheduler.in_thread()) {
    // Not ours: what was there before finds the same fault again when the instruction is repeated.
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      if (kSignals[i] == signal) sigaction(signal, &previous[i], nullptr);
    }
    return;
  }
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  FaultKind kind{};
  std::string what;
  classify(signal, *info, kind, what);
  // Locations are those of calls, one byte before the address that a call leaves behind.
  Context to = scheduler.abandon(kind, what, code + 1);
  registers[REG_RSP] = reinterpret_cast<greg_t>(to);
  registers[REG_RIP] = reinterpret_cast<greg_t>(metal_sim_resume);
}

}  // namespace

FaultSignals::FaultSignals() : stack_(new char[kStackBytes]) {
  stack_t stack{};
  stack.ss_sp = stack_.get();
  stack.ss_size = kStackBytes;
  sigaltstack(&stack, &previous_stack_);
  struct sigaction action{};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &previous[i]);
}

FaultSignals::~FaultSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &previous[i], nullptr);
  sigaltstack(&previous_stack_, nullptr);
}

}  // namespace emberline::metal_sim
