// The numbers of softmax_mass.h that vector code needs as well: no functions, so that a file compiled for a
// wide instruction set may include them. Shared by hosts and Metal kernels.
#pragma once

#if defined(__METAL_VERSION__)
#define EMBERLINE_MASS constant constexpr
#else
#include <cstdint>
#define EMBERLINE_MASS inline constexpr
namespace emberline {
using std::uint32_t;
#endif

EMBERLINE_MASS uint32_t kMassBits = 43;          // of the largest logit's mass
EMBERLINE_MASS uint32_t kMassFractionBits = 26;  // of mass_of's argument

// (1 - 2^-f) / f = c0 - f (c1 - f (c2 - f (c3 - f (c4 - f c5)))) in units of 2^-32, at the Chebyshev nodes of
// [0, 1).
EMBERLINE_MASS uint32_t kMassPolynomial0 = 2977044447u;
EMBERLINE_MASS uint32_t kMassPolynomial1 = 1031763206u;
EMBERLINE_MASS uint32_t kMassPolynomial2 = 238367376u;
EMBERLINE_MASS uint32_t kMassPolynomial3 = 41218952u;
EMBERLINE_MASS uint32_t kMassPolynomial4 = 5547538u;
EMBERLINE_MASS uint32_t kMassPolynomial5 = 493577u;

#if !defined(__METAL_VERSION__)
}  // namespace emberline
#endif
