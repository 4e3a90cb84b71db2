// The kernel set for AVX2, FMA and F16C with AVX-VNNI: processors since Alder Lake that lack AVX-512. Built
// with those flags, see CMakeLists.txt; kernels.h has the rules.
#include "simd/avx2/integers.h"

namespace emberline {
namespace {

struct Integers : IntegerLanes {
  static constexpr bool kSignedBytes = false;
  // 8 chains, and more in flight from the next block, keep two multipliers with a latency of 5 nearly busy;
  // the sums, used once a block, may live in the cache.
  static constexpr std::size_t kMostRows = 8;
  using Dot = Ints;
  using Apart = std::size_t;

  static Dot begin(Ints start) { return start; }
  static Ints end(Dot dot) { return dot; }
  template <int kBits>
  static void add(Dot& dot, std::size_t, Ints weights, const std::int8_t* x, Apart apart, std::size_t r) {
    dot = _mm256_dpbusd_avx_epi32(dot, weights, broadcast_four(x + r * apart));
  }
};

}  // namespace
}  // namespace emberline

#include "device/cpu/kernels/packed_products.h"
#include "device/cpu/kernels/table_of_kernels.h"

namespace emberline {

const Kernels& avxvnni_kernels() {
  static constexpr Kernels kernels = kernel_set("avxvnni");
  return kernels;
}

}  // namespace emberline
