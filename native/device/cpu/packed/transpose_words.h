// The step that packing is made of: 32-bit words of 16 rows, from one row after the other to one word after
// the other. With the vector instructions that every processor of the architecture has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "device/cpu/packed/packed_layout.h"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#elif defined(__ARM_NEON) || defined(_M_ARM64)
#include <arm_neon.h>
#endif

namespace emberline {

// to[k][i] = word k of row i; row i begins at from + i * row_bytes.
inline void transpose_words(const std::uint8_t* from, std::size_t row_bytes,
                            std::uint8_t (*to)[kPanelRows][4]) {
  for (std::size_t i = 0; i < kPanelRows; i += 4, from += 4 * row_bytes) {
#if defined(__SSE2__) || defined(_M_X64)
    const auto row = [&](std::size_t r) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + r * row_bytes));
    };
    const auto put = [&](std::size_t k, __m128i words) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to[k][i]), words);
    };
    const __m128i a = row(0), b = row(1), c = row(2), d = row(3);
    const __m128i ab_low = _mm_unpacklo_epi32(a, b), ab_high = _mm_unpackhi_epi32(a, b);
    const __m128i cd_low = _mm_unpacklo_epi32(c, d), cd_high = _mm_unpackhi_epi32(c, d);
    put(0, _mm_unpacklo_epi64(ab_low, cd_low));
    put(1, _mm_unpackhi_epi64(ab_low, cd_low));
    put(2, _mm_unpacklo_epi64(ab_high, cd_high));
    put(3, _mm_unpackhi_epi64(ab_high, cd_high));
#elif defined(__ARM_NEON) || defined(_M_ARM64)
    const auto row = [&](std::size_t r) { return vreinterpretq_u32_u8(vld1q_u8(from + r * row_bytes)); };
    const auto put = [&](std::size_t k, uint32x2_t first, uint32x2_t second) {
      vst1q_u8(to[k][i], vreinterpretq_u8_u32(vcombine_u32(first, second)));
    };
    const uint32x4x2_t ab = vtrnq_u32(row(0), row(1)), cd = vtrnq_u32(row(2), row(3));
    put(0, vget_low_u32(ab.val[0]), vget_low_u32(cd.val[0]));
    put(1, vget_low_u32(ab.val[1]), vget_low_u32(cd.val[1]));
    put(2, vget_high_u32(ab.val[0]), vget_high_u32(cd.val[0]));
    put(3, vget_high_u32(ab.val[1]), vget_high_u32(cd.val[1]));
#else
    for (std::size_t r = 0; r < 4; ++r) {
      for (std::size_t k = 0; k < 4; ++k) std::memcpy(to[k][i + r], from + r * row_bytes + 4 * k, 4);
    }
#endif
  }
}

}  // namespace emberline
