#include "int8_peak.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#if defined(__x86_64__) || defined(_M_X64)
#define EMBERLINE_BENCH_X86 1
#include <immintrin.h>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#else
#include <cpuid.h>
#endif
#elif defined(__aarch64__) || defined(_M_ARM64)
#define EMBERLINE_BENCH_ARM 1
#include <arm_neon.h>

#include "base/cpu_features.h"
#endif

// MSVC compiles any intrinsic anywhere; the others want to be told of the instruction set a function uses.
#if defined(_MSC_VER) && !defined(__clang__)
#define EMBERLINE_TARGET(isa)
#else
#define EMBERLINE_TARGET(isa) __attribute__((target(isa)))
#endif

#if defined(__clang__)
#define EMBERLINE_DOT_PRODUCT "dotprod"
#else
#define EMBERLINE_DOT_PRODUCT "arch=armv8.2-a+dotprod"
#endif

namespace emberline_bench {

namespace {

// Independent sums: enough to hide the latency of an addition on two or three ports.
constexpr int kSums = 12;
constexpr int kRounds = 2'000'000;
constexpr int kPasses = 5;

// Runs kRounds * kSums instructions; the result keeps them from being left out.
using Loop = std::int64_t (*)();

struct Kind {
  const char* instruction;
  int operations;  // of one instruction
  Loop loop;
};

#if defined(EMBERLINE_BENCH_X86)

EMBERLINE_TARGET("avx512f,avx512vnni") std::int64_t loop_avx512_vnni() {
  __m512i sums[kSums];
  for (__m512i& sum : sums) sum = _mm512_setzero_si512();
  const __m512i a = _mm512_set1_epi32(0x3f003f00), b = _mm512_set1_epi32(0x01020304);
  for (int round = 0; round < kRounds; ++round) {
    for (__m512i& sum : sums) sum = _mm512_dpbusd_epi32(sum, a, b);
  }
  std::int64_t total = 0;
  for (const __m512i& sum : sums) total += _mm512_reduce_add_epi32(sum);
  return total;
}

EMBERLINE_TARGET("avx2") std::int64_t total_of(const __m256i (&sums)[kSums]) {
  std::int64_t total = 0;
  for (const __m256i& sum : sums) total += _mm256_extract_epi32(sum, 0) + _mm256_extract_epi32(sum, 7);
  return total;
}

EMBERLINE_TARGET("avx2,avxvnni") std::int64_t loop_avx_vnni() {
  __m256i sums[kSums];
  for (__m256i& sum : sums) sum = _mm256_setzero_si256();
  const __m256i a = _mm256_set1_epi32(0x3f003f00), b = _mm256_set1_epi32(0x01020304);
  for (int round = 0; round < kRounds; ++round) {
    for (__m256i& sum : sums) sum = _mm256_dpbusd_avx_epi32(sum, a, b);
  }
  return total_of(sums);
}

// Without a dot product, 32 products take a multiplication to 16 bits, a widening sum and an addition.
EMBERLINE_TARGET("avx2") std::int64_t loop_avx2() {
  __m256i sums[kSums];
  for (__m256i& sum : sums) sum = _mm256_setzero_si256();
  const __m256i b = _mm256_set1_epi32(0x01020304), ones = _mm256_set1_epi16(1);
  for (int round = 0; round < kRounds; ++round) {
    for (__m256i& sum : sums) {
      const __m256i products = _mm256_maddubs_epi16(sum, b);
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(products, ones));
    }
  }
  return total_of(sums);
}

#if defined(_MSC_VER) && !defined(__clang__)
bool has(int leaf, int subleaf, int word, int bit) {
  int words[4];
  __cpuidex(words, leaf, subleaf);
  return (words[word] >> bit) & 1;
}
// EBX, ECX and EAX of the leaves of extended features; the operating system is taken to save wide registers.
bool has_avx512_vnni() {
  return has(7, 0, 1, 16) && has(7, 0, 2, 11);
}
bool has_avx_vnni() {
  return has(7, 1, 0, 4);
}
bool has_avx2() {
  return has(7, 0, 1, 5);
}
#else
bool has_avx512_vnni() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni");
}
bool has_avx_vnni() {
  // Asked of the processor itself: GCC 12 does not know the name. With AVX2 the system saves the registers it
  // uses.
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax >> 4 & 1) != 0 &&
         __builtin_cpu_supports("avx2");
}
bool has_avx2() {
  return __builtin_cpu_supports("avx2");
}
#endif

#elif defined(EMBERLINE_BENCH_ARM)

EMBERLINE_TARGET(EMBERLINE_DOT_PRODUCT) std::int64_t loop_sdot() {
  int32x4_t sums[kSums];
  for (int32x4_t& sum : sums) sum = vdupq_n_s32(0);
  const int8x16_t a = vdupq_n_s8(3), b = vdupq_n_s8(-5);
  for (int round = 0; round < kRounds; ++round) {
    for (int32x4_t& sum : sums) sum = vdotq_s32(sum, a, b);
  }
  std::int64_t total = 0;
  for (const int32x4_t& sum : sums) total += vaddvq_s32(sum);
  return total;
}

#endif

// Whatever the compiler makes of it.
[[maybe_unused]] std::int64_t loop_portable() {
  std::int32_t sums[kSums * 16] = {};
  for (int round = 0; round < kRounds / 16; ++round) {
    for (std::int32_t& sum : sums)
      sum += static_cast<std::int8_t>(sum + round) * static_cast<std::int8_t>(round);
  }
  std::int64_t total = 0;
  for (const std::int32_t sum : sums) total += sum;
  return total;
}

Kind best_kind() {
#if defined(EMBERLINE_BENCH_X86)
  if (has_avx512_vnni()) return {"avx512 vpdpbusd", 128, loop_avx512_vnni};
  if (has_avx_vnni()) return {"avx vpdpbusd", 64, loop_avx_vnni};
  if (has_avx2()) return {"avx2 vpmaddubsw", 64, loop_avx2};
#elif defined(EMBERLINE_BENCH_ARM)
  if (emberline::cpu_features().dot_product) return {"sdot", 32, loop_sdot};
#endif
  return {"portable", 2, loop_portable};
}

}  // namespace

Int8Peak int8_peak(emberline::ThreadPool& pool) {
  const Kind kind = best_kind();
  std::atomic<std::int64_t> sink{0};
  auto task = [&](int) { sink += kind.loop(); };
  double best = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto begin = std::chrono::steady_clock::now();
    pool.run(task);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double operations = static_cast<double>(kRounds) * kSums * kind.operations * pool.threads();
    best = std::max(best, operations / seconds);
  }
  return {kind.instruction, best};
}

}  // namespace emberline_bench
