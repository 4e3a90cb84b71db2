#include "interleavings/search.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#if defined(EMBERLINE_SANITIZED)
#include <sanitizer/lsan_interface.h>
#endif

namespace emberline::testing {
namespace {

// Of the clock, for one seed: a thread that waits for what the schedule knows nothing of waits for ever.
constexpr unsigned kMostSeconds = 120;

// A number that another process can read.
class SharedNumber {
 public:
  SharedNumber()
      : number_(static_cast<volatile std::uint64_t*>(::mmap(
            nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    if (number_ == MAP_FAILED) std::abort();
  }
  ~SharedNumber() { ::munmap(const_cast<std::uint64_t*>(number_), sizeof(std::uint64_t)); }
  SharedNumber(const SharedNumber&) = delete;
  SharedNumber& operator=(const SharedNumber&) = delete;
  volatile std::uint64_t& operator*() { return *number_; }

 private:
  volatile std::uint64_t* number_;
};

std::string text_of(int file) {
  std::string text;
  char part[4096];
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t read = 0; (read = ::read(file, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(read));
  return text;
}

// One thread runs at a time: on one core, the next need not be fetched from another.
void keep_to_one_core() {
  cpu_set_t one;
  CPU_ZERO(&one);
  const int core = ::sched_getcpu();
  if (core < 0) return;
  CPU_SET(core, &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

[[noreturn]] void run_all(const Scenario& scenario, std::uint64_t first, std::uint64_t count,
                          SharedNumber& seed) {
  keep_to_one_core();
  for (std::uint64_t i = 0; i < count; ++i) {
    *seed = first + i;
    ::alarm(kMostSeconds);
    run_seed(scenario, first + i);
  }
#if defined(EMBERLINE_SANITIZED)
  __lsan_do_leak_check();  // ends the process where it finds one
#endif
  ::_exit(0);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return "A thread waits outside the schedule.\n";
  if (WIFSIGNALED(status)) return "Ended by signal " + std::to_string(WTERMSIG(status)) + ".\n";
  return "Ended with " + std::to_string(WEXITSTATUS(status)) + ".\n";
}

}  // namespace

RunFigures run_seed(const Scenario& scenario, std::uint64_t seed, bool traced) {
  scenario.prepare();
  RandomSchedule schedule(seed, traced);
  Course course(schedule);
  scenario.run(course);
  return {schedule.points(), schedule.switches(), schedule.trace_hash()};
}

std::optional<Failure> search(const Scenario& scenario, std::uint64_t first, std::uint64_t count) {
  scenario.prepare();
  SharedNumber seed;
  std::FILE* const printed = std::tmpfile();
  if (printed == nullptr) std::abort();
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::fileno(printed), STDERR_FILENO);
    run_all(scenario, first, count, seed);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) != child) {
  }
  std::optional<Failure> failure;
  if (status != 0) {
    failure = Failure{*seed, text_of(::fileno(printed)) + how_it_ended(status)};
    failure->what += "Again: test_interleavings --scenario " + std::string(scenario.name) + " --seed " +
                     std::to_string(failure->seed) + " (--trace: every point)\n";
  }
  std::fclose(printed);
  return failure;
}

}  // namespace emberline::testing
