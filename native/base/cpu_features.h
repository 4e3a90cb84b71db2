// Which instruction sets this processor and operating system offer.
#pragma once

namespace emberline {

struct CpuFeatures {
  // AVX2, FMA and F16C together (Haswell and Zen onwards), with the operating system saving the wide
  // registers.
  bool avx2 = false;
};

// Asked of the processor once; every field is false on an architecture that has no such instructions.
const CpuFeatures& cpu_features();

}  // namespace emberline
