// How fast this machine multiplies 8-bit integers.
#pragma once

#include "base/thread_pool.h"

namespace emberline_bench {

struct Int8Peak {
  const char* instruction;       // the best this processor has
  double operations_per_second;  // of all threads; a multiplication and the addition after it are two
};

// Registers alone: no memory is read. The best of several passes.
Int8Peak int8_peak(emberline::ThreadPool& pool);

}  // namespace emberline_bench
