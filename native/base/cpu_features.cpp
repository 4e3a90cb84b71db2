#include "base/cpu_features.h"

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) || defined(_M_X64)
#define EMBERLINE_X86_64 1
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#else
#include <cpuid.h>
#endif
#elif defined(__aarch64__) || defined(_M_ARM64)
#define EMBERLINE_AARCH64 1
#if defined(_WIN32)
#include <windows.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#elif defined(__linux__)
#include <sys/auxv.h>
#endif
#endif

namespace emberline {
namespace {

#ifdef EMBERLINE_X86_64

struct Registers {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(std::uint32_t leaf, std::uint32_t subleaf) {
  Registers r;
#if defined(_MSC_VER) && !defined(__clang__)
  int out[4];
  __cpuidex(out, static_cast<int>(leaf), static_cast<int>(subleaf));
  r = {static_cast<std::uint32_t>(out[0]), static_cast<std::uint32_t>(out[1]),
       static_cast<std::uint32_t>(out[2]), static_cast<std::uint32_t>(out[3])};
#else
  __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
#endif
  return r;
}

// Register states the operating system saves on a context switch. Needs cpuid's OSXSAVE bit.
std::uint64_t enabled_states() {
#if defined(_MSC_VER) && !defined(__clang__)
  return _xgetbv(0);
#else
  std::uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<std::uint64_t>(high) << 32) | low;
#endif
}

CpuFeatures detect() {
  constexpr std::uint32_t kFma = 1u << 12, kOsXsave = 1u << 27, kAvx = 1u << 28, kF16c = 1u << 29;
  constexpr std::uint32_t kAvx2 = 1u << 5, kAvx512F = 1u << 16, kAvx512Dq = 1u << 17, kAvx512Bw = 1u << 30,
                          kAvx512Vl = 1u << 31;
  constexpr std::uint32_t kAvx512Vnni = 1u << 11, kAvxVnni = 1u << 4;
  constexpr std::uint64_t kXmmAndYmm = 0x06, kMasksAndZmm = 0xE0;
  CpuFeatures features;
  if (cpuid(0, 0).eax < 7) return features;
  const std::uint32_t basic = cpuid(1, 0).ecx;
  constexpr std::uint32_t kNeeded = kFma | kOsXsave | kAvx | kF16c;
  if ((basic & kNeeded) != kNeeded || (enabled_states() & kXmmAndYmm) != kXmmAndYmm) return features;
  const Registers extended = cpuid(7, 0);
  features.avx2 = (extended.ebx & kAvx2) != 0;
  constexpr std::uint32_t kAvx512 = kAvx512F | kAvx512Dq | kAvx512Bw | kAvx512Vl;
  // eax of subleaf 0 is the number of the last subleaf.
  features.avx_vnni = features.avx2 && extended.eax >= 1 && (cpuid(7, 1).eax & kAvxVnni) != 0;
  features.avx512 = features.avx2 && (extended.ebx & kAvx512) == kAvx512 &&
                    (extended.ecx & kAvx512Vnni) != 0 && (enabled_states() & kMasksAndZmm) == kMasksAndZmm;
  return features;
}

#elif defined(EMBERLINE_AARCH64) && defined(_WIN32)

CpuFeatures detect() {
  CpuFeatures features;
  // Older Windows SDKs do not name these.
#ifdef PF_ARM_V82_DP_INSTRUCTIONS_AVAILABLE
  features.dot_product = IsProcessorFeaturePresent(PF_ARM_V82_DP_INSTRUCTIONS_AVAILABLE) != 0;
#endif
#ifdef PF_ARM_V82_I8MM_INSTRUCTIONS_AVAILABLE
  features.i8mm = IsProcessorFeaturePresent(PF_ARM_V82_I8MM_INSTRUCTIONS_AVAILABLE) != 0;
#endif
  return features;
}

#elif defined(EMBERLINE_AARCH64) && defined(__APPLE__)

bool kernel_reports(const char* name) {
  int value = 0;
  std::size_t size = sizeof value;
  return sysctlbyname(name, &value, &size, nullptr, 0) == 0 && value != 0;
}

CpuFeatures detect() {
  CpuFeatures features;
  features.dot_product = kernel_reports("hw.optional.arm.FEAT_DotProd");
  features.i8mm = kernel_reports("hw.optional.arm.FEAT_I8MM");
  return features;
}

#elif defined(EMBERLINE_AARCH64) && defined(__linux__)

CpuFeatures detect() {
  // Bits of the kernel's hwcap.h, which older C libraries do not name.
  constexpr unsigned long kAsimdDp = 1ul << 20;
  constexpr unsigned long kI8mm = 1ul << 13;
  CpuFeatures features;
  features.dot_product = (getauxval(AT_HWCAP) & kAsimdDp) != 0;
  features.i8mm = (getauxval(AT_HWCAP2) & kI8mm) != 0;
  return features;
}

#else

CpuFeatures detect() {
  return {};
}

#endif

}  // namespace

const CpuFeatures& cpu_features() {
  static const CpuFeatures features = detect();
  return features;
}

}  // namespace emberline
