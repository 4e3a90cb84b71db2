// Which instruction sets this processor and operating system offer.
#pragma once

namespace emberline {

struct CpuFeatures {
  // AVX2, FMA and F16C together (Haswell and Zen onwards), with the operating system saving the wide
  // registers.
  bool avx2 = false;
  bool avx_vnni = false;  // and AVX-VNNI: the dot products of AVX-512 VNNI for registers of 256 bits
  // AVX-512 F, BW, DQ, VL and VNNI together with the above (Ice Lake and Zen 4 onwards), and their registers.
  bool avx512 = false;

  // Of 64-bit Arm: SDOT (optional from ARMv8.2 on) and SMMLA (optional from ARMv8.2, in all from ARMv8.6 on).
  bool dot_product = false;
  bool i8mm = false;
};

// Asked of the processor once; every field is false on an architecture that has no such instructions.
const CpuFeatures& cpu_features();

}  // namespace emberline
