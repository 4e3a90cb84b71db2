// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011): a
// 128-bit counter under a 64-bit key gives 128 random bits. Shared by hosts and Metal kernels.
#pragma once

#include "exact_arithmetic.h"

#if !defined(__METAL_VERSION__)
namespace emberline {
#endif

// Replaces the counter (c0, c1, c2, c3) by the block of random words under the key (k0, k1).
inline void philox4x32_10(EMBERLINE_THREAD uint32_t& c0, EMBERLINE_THREAD uint32_t& c1,
                          EMBERLINE_THREAD uint32_t& c2, EMBERLINE_THREAD uint32_t& c3, uint32_t k0,
                          uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t(0xD2511F53u) * c0;
    const uint64_t product1 = uint64_t(0xCD9E8D57u) * c2;
    c0 = uint32_t(product1 >> 32) ^ c1 ^ k0;
    c1 = uint32_t(product1);
    c2 = uint32_t(product0 >> 32) ^ c3 ^ k1;
    c3 = uint32_t(product0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

#if !defined(__METAL_VERSION__)
}  // namespace emberline
#endif
