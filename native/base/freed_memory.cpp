#include "base/freed_memory.h"

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "base/schedule.h"

namespace emberline {

void give_back_freed_memory() {
  schedule_point("memory.give_back");
#if defined(__GLIBC__)
  constexpr std::size_t kSpare = 0;
  malloc_trim(kSpare);
#endif
}

}  // namespace emberline
