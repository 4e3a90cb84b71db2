// How fast this machine reads memory.
#pragma once

#include <cstddef>

#include "base/thread_pool.h"

namespace emberline {

// Bytes a second at which all threads of `pool` together read a buffer of `bytes` bytes that they have read
// before: what of it the caches keep comes from them, as the weights of a model of that size do. The best of
// several passes. 0 when there is no memory for the buffer.
double read_bandwidth(ThreadPool& pool, std::size_t bytes);

}  // namespace emberline
