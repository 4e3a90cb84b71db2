#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>

#include "base/mapping_watch.h"
#include "base/threads.h"

namespace emberline {
namespace {

// Of a fixed size: a signal handler takes no lock and no memory.
struct Watched {
  std::atomic<std::uintptr_t> begin{0}, end{0};  // begin 0: free
  std::atomic<bool> zeros{false};
};
std::array<Watched, 512> watched;

Mutex changing;
int count = 0;
struct sigaction before{};
std::uintptr_t page_bytes = 0;

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {
    // The read is tried again, and ends the process as it would have.
    struct sigaction by_default{};
    by_default.sa_handler = SIG_DFL;
    ::sigaction(signal, &by_default, nullptr);
  }
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Watched& each : watched) {
    const std::uintptr_t begin = each.begin.load(), end = each.end.load();
    if (begin == 0 || address < begin || address >= end) continue;
    each.zeros.store(true);
    // Zeros from here to the end: what lies behind cannot be read either, or is not worth reading any more.
    const std::uintptr_t into_page = address % page_bytes;
    void* const page = static_cast<char*>(info->si_addr) - into_page;
    const bool mapped = ::mmap(page, end - (address - into_page), PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    errno = error;
    if (mapped) return;
    break;
  }
  pass_on(signal, info, context);
}

bool begin_handling() {
  page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action{};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  return ::sigaction(SIGBUS, &action, &before) == 0;
}

// Somebody else's handler, installed since, stays: it may pass on to ours.
void end_handling() {
  struct sigaction now{};
  if (::sigaction(SIGBUS, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_bus_error)
    ::sigaction(SIGBUS, &before, nullptr);
}

}  // namespace

int watch_mapping(const void* data, std::size_t bytes) {
  if (data == nullptr || bytes == 0) return -1;
  const std::lock_guard lock(changing);
  for (std::size_t i = 0; i < watched.size(); ++i) {
    Watched& free = watched[i];
    if (free.begin.load() != 0) continue;
    if (count == 0 && !begin_handling()) return -1;
    ++count;
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    schedule_point("watch.begin");
    free.zeros.store(false);
    free.end.store(begin + bytes);
    free.begin.store(begin);
    return static_cast<int>(i);
  }
  return -1;
}

bool gave_zeros(int watch) {
  return watch >= 0 && watched[static_cast<std::size_t>(watch)].zeros.load();
}

void forget_mapping(int watch) {
  if (watch < 0) return;
  const std::lock_guard lock(changing);
  watched[static_cast<std::size_t>(watch)].begin.store(0);
  if (--count == 0) end_handling();
}

}  // namespace emberline
