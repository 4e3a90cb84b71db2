// A disk that is full, or that may not be written to. The program that links failing_files.cpp has the
// functions of the C library that write replaced. Linux.
#pragma once

#include <cstdint>

#include "faults/failing_allocations.h"

namespace emberline::testing {

// While it lives, the `first`-th call (1: the next) of any thread that writes to a disk fails with `error`,
// as errno has it. Of what it was to write, a full disk takes half. One at a time.
class FailingFiles {
 public:
  FailingFiles(std::uint64_t first, int error, Shortage shortage);
  ~FailingFiles();
  FailingFiles(const FailingFiles&) = delete;
  FailingFiles& operator=(const FailingFiles&) = delete;

  bool reached() const;  // whether one has failed
};

}  // namespace emberline::testing
