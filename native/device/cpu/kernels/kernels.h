// The inner loops of the CPU device, one set an instruction set, as a table of function pointers.
//
// Invariant: a file that implements a set (kernels_*.cpp) is compiled for that instruction set, so it must
// not emit a function that the linker could merge with another file's: everything in it is static or in an
// unnamed namespace, and it includes no header with inline functions of external linkage: base/half.h,
// op_params.h, packed_layout.h, packed_parts.h, tensor_type.h, the vectors of a folder of simd/, C headers
// and compiler intrinsics alone.
//
// Every set computes a result in the same order whatever the number of rows, threads or the split of the
// work: element i of a row is summed into lane i mod 8 (16 for AVX-512), the lanes are added at the end in a
// fixed order, and blocks of a quantised row are added in order. Sets differ from one another by fused
// multiply-adds alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cpu/kernels/attention_kernels.h"
#include "device/cpu/packed/packed_layout.h"
#include "device/op_params.h"
#include "gguf/tensor_type.h"

namespace emberline {

constexpr int kFineStep = 255;  // one step of a coarse quant, in fine ones: every integer has one form

// Rows of the right-hand side of a product: as float32, as blocks of int8, or both, as the weight's type
// asks.
struct ActivationRows {
  std::size_t rows;
  std::size_t width;
  const float* values;        // [rows, width]
  const std::int8_t* quants;  // [rows, width]: value ~ scale * quant, |quant| <= 127
  const float* scales;        // [rows, width / 32]
  const float* sums;          // [rows, width / 32]: scale * sum of the block's integers
  // [rows, width / 32]: -8 * sum of the block's integers, what a product with weights stored 8 too large is
  // to begin from (16 and 128 too large: 2 and 16 times as much).
  const std::int32_t* offsets;
  const std::int32_t* first_offsets;  // [rows, width / 32]: the same of the first 16 columns of each block
  // Null, or [rows, width], for 16 bits: value ~ scale * (kFineStep * quant + fine), |fine| <= 127; the
  // block's integers are then kFineStep * quant + fine.
  const std::int8_t* fine = nullptr;
};

// Where one row of ActivationRows is written; `fine` is left alone for 8 bits.
struct QuantizedRow {
  std::int8_t* quants;
  std::int8_t* fine;
  float* scales;
  float* sums;
  std::int32_t* offsets;
  std::int32_t* first_offsets;
};

// Neighbouring panels of a packed matrix.
struct Panels {
  const std::uint8_t* data;
  std::size_t panel_bytes;
  std::size_t count;
};

// y[r * stride + 16 * p + i] = row i of panel p . row r of x, for a quantised matrix
//   sum over blocks (halves of blocks, where they have scales of their own), in order, of
//   fma(d * scale, integer dot product, y), then fma(m, sum, y) where the
//   format has a minimum; the integer product is exact and includes the format's zero point,
// for a float matrix sum over columns, in order, of fma(w, x, y).
using ProductKernel = void (*)(const Panels& panels, const ActivationRows& x, float* y, std::size_t stride);

struct LogitsScan {
  float max;            // of the scanned range
  std::uint32_t index;  // of its first occurrence
  float exp_sum;        // sum of exp(x - max)
  bool finite;          // no NaN, no infinity
};

// activation(gate) * up, element by element.
using GateKernel = void (*)(const float* gate, const float* up, std::size_t n, float* out);

struct Kernels {
  const char* isa;

  // x[0..n) -> int8 blocks of 32, with the scale and sums of each. A block whose largest magnitude is below
  // 1e-30 becomes zero; one with a value that is not finite gets a NaN scale, so that what is computed from
  // it is NaN, and offsets of 0. n is a multiple of 32.
  void (*quantize_row)(const float* x, std::size_t n, const QuantizedRow& to);
  // The same to 16 bits, as a coarse and a fine part.
  void (*quantize_row_fine)(const float* x, std::size_t n, const QuantizedRow& to);
  float (*sum_of_squares)(const float* x, std::size_t n);
  void (*scale_row)(const float* x, const float* gain, float scale, std::size_t n,
                    float* out);  // x * scale * gain
  const GateKernel* gate;         // [kGateActivations], by kGate... of op_params.h
  // exp to within 2 ulp on [-87.3, 88]; 0 below, exp(88) above, NaN for NaN.
  void (*exp)(const float* x, std::size_t n, float* out);
  void (*soft_cap)(const float* x, std::size_t n, float cap,
                   float* out);                              // cap * tanh(x / cap); may be in place
  LogitsScan (*scan_logits)(const float* x, std::size_t n);  // n >= 1

  void (*widen_halves)(const std::uint16_t* from, std::size_t n, float* to);
  void (*narrow_to_halves)(const float* from, std::size_t n, std::uint16_t* to);

  AttentionKernels attention;

  ProductKernel (*product)(TensorType weight_type);
};

const Kernels& portable_kernels();
#if defined(__x86_64__) || defined(_M_X64)
// To be called where that set runs, alone.
const Kernels& avx2_kernels();
const Kernels& avxvnni_kernels();
const Kernels& avx512_kernels();
#elif defined(__aarch64__) || defined(_M_ARM64)
const Kernels& neon_mull_kernels();
const Kernels& neon_kernels();
const Kernels& neon_i8mm_kernels();  // not built by compilers that lack its intrinsics
#endif

}  // namespace emberline
