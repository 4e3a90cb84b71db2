// The kernel set for AVX-512 (F, BW, DQ, VL) with VNNI: Ice Lake and Zen 4 onwards. Built with those flags,
// see CMakeLists.txt; kernels.h has the rules.
#include "simd/avx512/integers.h"

#include "device/cpu/kernels/avx512_quantize.h"

namespace emberline {
namespace {

struct Integers : IntegerLanes {
  static constexpr bool kSignedBytes = false;
  // 12 chains keep two multipliers with a latency of 5 busy; 12 sums, 12 dot products, weights and what is
  // broadcast fit 32 registers.
  static constexpr std::size_t kMostRows = 12;
  using Dot = Ints;

  static Dot begin(Ints start) { return start; }
  static Ints end(Dot dot) { return dot; }
  template <int kBits>
  static void add(Dot& dot, std::size_t, Ints weights, const std::int8_t* x) {
#if defined(__GNUC__) && !defined(__clang__)
    // GCC 12 would broadcast to a register first: one instruction in two more, and the front end is what
    // limits large batches.
    const auto* four = reinterpret_cast<const std::int8_t(*)[4]>(x);
    asm("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(dot) : "v"(weights), "m"(*four));
#else
    int four;
    memcpy(&four, x, sizeof four);
    dot = _mm512_dpbusd_epi32(dot, weights, _mm512_set1_epi32(four));
#endif
  }
};

}  // namespace
}  // namespace emberline

#include "device/cpu/kernels/packed_products.h"
#include "device/cpu/kernels/table_of_kernels.h"

namespace emberline {

const Kernels& avx512_kernels() {
  static constexpr Kernels kernels = kernel_set("avx512");
  return kernels;
}

}  // namespace emberline
