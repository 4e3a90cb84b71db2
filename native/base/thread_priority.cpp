#include "base/thread_priority.h"

#if defined(__linux__)
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#elif defined(__APPLE__)
#include <pthread.h>
#include <sys/qos.h>
#elif defined(_WIN32)
#include <windows.h>
#endif

namespace emberline {

#if defined(__linux__)

void lower_thread_priority() {
  // The nice value is each thread's own here, and a new thread has its creator's. Counting from the first
  // thread's, whose id is the process's, keeps a thread that was started by a lowered one from going further
  // down.
  const int process = getpriority(PRIO_PROCESS, static_cast<id_t>(getpid()));
  const id_t self = static_cast<id_t>(syscall(SYS_gettid));
  const int target = std::min(19, process + kNiceIncrement);
  // Raising the priority is not for us to do, and would be refused.
  if (getpriority(PRIO_PROCESS, self) < target) setpriority(PRIO_PROCESS, self, target);
}

#elif defined(__APPLE__)

void lower_thread_priority() {
  // Not the utility class: the system may keep it on efficiency cores, and the threads wait for the slowest
  // of them at every stage. Not the user-initiated class: it ranks above the thread that runs the editor's
  // JavaScript.
  pthread_set_qos_class_self_np(QOS_CLASS_DEFAULT, -kNiceIncrement);
}

#elif defined(_WIN32)

void lower_thread_priority() {
  SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
}

#else

void lower_thread_priority() {}

#endif

}  // namespace emberline
