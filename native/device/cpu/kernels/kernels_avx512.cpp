// The kernel set for AVX-512 (F, BW, DQ, VL) with VNNI: Ice Lake and Zen 4 onwards. Built with those flags,
// see CMakeLists.txt; kernels.h has the rules.
#include "simd/avx512/integers.h"

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
#if defined(__GNUC__) && !defined(__clang__)
  // Multiples of the distance with which one address reaches each of 12 rows, kept in registers. GCC 12 would
  // calculate the addresses of all rows and steps of a block, keep them in memory, and broadcast to a
  // register first: three instructions for one, where the front end is what limits large batches.
  class Apart {
   public:
    explicit Apart(std::size_t width)
        : one_(width),
          three_(3 * width),
          five_(5 * width),
          seven_(7 * width),
          nine_(9 * width),
          eleven_(11 * width) {
      // From here on they are not known to be multiples of anything, and not calculated again.
      asm("" : "+r"(one_), "+r"(three_), "+r"(five_), "+r"(seven_), "+r"(nine_), "+r"(eleven_));
    }

    [[gnu::always_inline]] void add(Dot& dot, Ints weights, const std::int8_t* x, std::size_t r) const {
// What is read begins at x; how much of it, no operand says.
#define EMBERLINE_ADD(address, apart)                                                         \
  asm("vpdpbusd " address "%{1to16%}, %1, %0"                                                 \
      : "+v"(dot)                                                                             \
      : "v"(weights), "r"(x), "r"(apart), "m"(*reinterpret_cast<const std::int8_t(*)[]>(x))); \
  return
      switch (r) {
        case 0: EMBERLINE_ADD("(%2)", one_);
        case 1: EMBERLINE_ADD("(%2,%3)", one_);
        case 2: EMBERLINE_ADD("(%2,%3,2)", one_);
        case 3: EMBERLINE_ADD("(%2,%3)", three_);
        case 4: EMBERLINE_ADD("(%2,%3,4)", one_);
        case 5: EMBERLINE_ADD("(%2,%3)", five_);
        case 6: EMBERLINE_ADD("(%2,%3,2)", three_);
        case 7: EMBERLINE_ADD("(%2,%3)", seven_);
        case 8: EMBERLINE_ADD("(%2,%3,8)", one_);
        case 9: EMBERLINE_ADD("(%2,%3)", nine_);
        case 10: EMBERLINE_ADD("(%2,%3,2)", five_);
        default: EMBERLINE_ADD("(%2,%3)", eleven_);
      }
#undef EMBERLINE_ADD
    }

   private:
    std::size_t one_, three_, five_, seven_, nine_, eleven_;
  };
  static_assert(kMostRows == 12);

  template <int kBits>
  [[gnu::always_inline]] static void add(Dot& dot, std::size_t, Ints weights, const std::int8_t* x,
                                         const Apart& apart, std::size_t r) {
    apart.add(dot, weights, x, r);
  }
#else
  using Apart = std::size_t;

  template <int kBits>
  static void add(Dot& dot, std::size_t, Ints weights, const std::int8_t* x, Apart apart, std::size_t r) {
    int four;
    memcpy(&four, x + r * apart, sizeof four);
    dot = _mm512_dpbusd_epi32(dot, weights, _mm512_set1_epi32(four));
  }
#endif
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
