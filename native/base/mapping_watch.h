// Mapped files that another program shortens while they are read.
//
// A read beyond the new end, or of what a disk cannot give, raises SIGBUS, which ends the process. In a
// mapping that is watched such a read gives zeros instead, and the mapping says so. The handler stands as
// long as a mapping is watched, and passes on every fault that is none of theirs. On Windows a file cannot
// be shortened while it is mapped: nothing is watched there.
#pragma once

#include <cstddef>

namespace emberline {

// A number for the two below, or -1 where there is nothing to watch or too much is watched.
int watch_mapping(const void* data, std::size_t bytes);
// Whether a read in it gave zeros. False for -1.
bool gave_zeros(int watch);
// Before the mapping goes. Nothing for -1.
void forget_mapping(int watch);

}  // namespace emberline
