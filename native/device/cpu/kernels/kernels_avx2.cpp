// The kernel set for AVX2 with FMA and F16C. Built with those flags, see CMakeLists.txt; kernels.h has the
// rules.
#include "simd/avx2/integers.h"

namespace emberline {
namespace {

// Products of bytes come as 16-bit sums of two. Unsigned weights of 4 and 5 bits give at most 2 * 15 * 127
// and 2 * 31 * 127: 8 and 4 of those may be added before they are widened; of 6 bits, 2 * 63 * 127: 2. Signed
// ones, whose sign moves to the other factor, give at most 2 * 128 * 127.
struct Integers : IntegerLanes {
  static constexpr bool kSignedBytes = true;
  static constexpr std::size_t kMostRows = 4;  // pairs and sums of each in 8 of 16 registers
  struct Dot {
    Ints total, pairs;
  };
  using Apart = std::size_t;

  static Dot begin(Ints start) { return {start, _mm256_setzero_si256()}; }
  static Ints end(const Dot& dot) { return dot.total; }
  template <int kBits>
  static void add(Dot& dot, std::size_t i, Ints weights, const std::int8_t* x, Apart apart, std::size_t r) {
    constexpr std::size_t kRun = kBits == 4 ? 8 : kBits == 5 ? 4 : kBits == 6 ? 2 : 1;
    const Ints pairs = multiply_pairs<kBits>(weights, broadcast_four(x + r * apart));
    dot.pairs = i % kRun == 0 ? pairs : _mm256_add_epi16(dot.pairs, pairs);
    if (i % kRun == kRun - 1)
      dot.total = _mm256_add_epi32(dot.total, _mm256_madd_epi16(dot.pairs, _mm256_set1_epi16(1)));
  }

 private:
  template <int kBits>
  static Ints multiply_pairs(Ints weights, Ints x) {
    if constexpr (kBits < 8) {
      return _mm256_maddubs_epi16(weights, x);
    } else {
      return _mm256_maddubs_epi16(_mm256_abs_epi8(weights), _mm256_sign_epi8(x, weights));
    }
  }
};

}  // namespace
}  // namespace emberline

#include "device/cpu/kernels/packed_products.h"
#include "device/cpu/kernels/table_of_kernels.h"

namespace emberline {

const Kernels& avx2_kernels() {
  static constexpr Kernels kernels = kernel_set("avx2");
  return kernels;
}

}  // namespace emberline
