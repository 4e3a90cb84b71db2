// The loops over a vocabulary that sampling is made of, one set an instruction set, as a table of function
// pointers.
//
// Every set gives the same bits: masses are integers (softmax_mass.h), and of floats only the largest is
// taken. As with the CPU device's kernels, a file that implements a set is compiled for that instruction set,
// so everything in it is in an unnamed namespace and it includes no header with inline functions of external
// linkage.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emberline {

// How many neighbouring logits share a largest one, which tells whether a loop has to look at them.
constexpr std::size_t kLogitBlock = 64;
// How many rank keys more than there are `collect` needs room for: it writes whole registers.
constexpr std::size_t kCollectSlack = 16;

struct LogitScan {
  float largest;  // -inf where all are
  bool finite;    // no NaN and no +inf; where there is one, `largest` means nothing
};

struct SamplingKernels {
  const char* isa;

  // block_largest[b] = the largest of logits[64 b .. 64 b + 63], of n >= 1 in all.
  LogitScan (*scan)(const float* logits, std::size_t n, float* block_largest);
  // The sum of the masses of MassLaw{largest, scale}. Blocks without a logit of `least` or more may be left
  // out: no token there has a mass.
  std::uint64_t (*total_mass)(const float* logits, std::size_t n, const float* block_largest, float least,
                              float largest, float scale);
  // The rank keys of all logits of `least` (finite) or more, by id; gives how many. Room for as many and
  // kCollectSlack more.
  std::size_t (*collect)(const float* logits, std::size_t n, const float* block_largest, float least,
                         std::uint64_t* rank_keys);
  // masses[i] = the mass of rank_keys[i]; gives their sum.
  std::uint64_t (*masses)(const std::uint64_t* rank_keys, std::size_t n, float largest, float scale,
                          std::uint64_t* masses);
};

const SamplingKernels& portable_sampling_kernels();
#if defined(__x86_64__) || defined(_M_X64)
// To be called where that set runs, alone.
const SamplingKernels& avx2_sampling_kernels();
const SamplingKernels& avx512_sampling_kernels();
#elif defined(__aarch64__) || defined(_M_ARM64)
const SamplingKernels& neon_sampling_kernels();
#endif

}  // namespace emberline
