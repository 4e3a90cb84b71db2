// Before a loop over registers that must not stay a loop: an array that is indexed by a variable is kept in
// memory. At most 16 rounds.
#pragma once

#if defined(__clang__)
#define EMBERLINE_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define EMBERLINE_UNROLL _Pragma("GCC unroll 16")
#else
#define EMBERLINE_UNROLL
#endif
