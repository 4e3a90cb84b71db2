// The arithmetic of softmax_mass.h and rank_key.h for a vector of tokens. Included by logit_loops.h alone.
#pragma once

#include "sampling/mass_polynomial.h"

namespace emberline {
namespace {

// The upper halves of the rank keys of logits; -0 + 0 is 0.
inline Words::Lanes rank_words(Vector::Lanes logits) {
  return Words::flip_positive(Words::bits(Vector::add(logits, Vector::set(0.0f))));
}

inline Vector::Lanes logits_of(Words::Lanes rank_words) {
  return Words::floats(Words::flip_positive(rank_words));
}

// Of the tokens in the halves of a vector.
struct Masses {
  Words::Longs first, second;
};

// The masses of MassLaw{largest, scale}; none for NaN.
class TokenMasses {
 public:
  TokenMasses(float largest, float scale) : largest_(Vector::set(largest)), scale_(Vector::set(scale)) {}

  Masses operator()(Vector::Lanes logits) const {
    // As mass_exponent: whole binary orders, and a fraction of 32 bits. What has no mass counts as 60 orders.
    const Vector::Lanes distance = Vector::mul(Vector::sub(largest_, logits), scale_);
    const Vector::Lanes x = Vector::min(distance, Vector::set(60.0f));
    const Vector::Lanes rest = Vector::sub(x, Vector::truncate(x));
    const Vector::Lanes fraction = Vector::mul(rest, Vector::set(1 << kMassFractionBits));
    const Words::Lanes f = Words::shift_left<32 - kMassFractionBits>(Words::convert(fraction));
    const Words::Lanes orders = Words::convert(x);
    return {mass(Words::first(f), Words::widen_first(orders)),
            mass(Words::second(f), Words::widen_second(orders))};
  }

 private:
  // As mass_of.
  static Words::Longs mass(Words::Half f, Words::Longs orders) {
    const auto from = [f](std::uint32_t constant, Words::Half sum) {
      return Words::sub(Words::set_half(constant), Words::multiply_shift<32>(f, sum));
    };
    Words::Half sum = from(kMassPolynomial4, Words::set_half(kMassPolynomial5));
    sum = from(kMassPolynomial3, sum);
    sum = from(kMassPolynomial2, sum);
    sum = from(kMassPolynomial1, sum);
    sum = from(kMassPolynomial0, sum);
    const Words::Half power = Words::sub(Words::set_half(0x80000000u), Words::multiply_shift<33>(f, sum));
    return Words::shift_right_each(Words::shift_left_longs<kMassBits - 31>(Words::widen(power)), orders);
  }

  Vector::Lanes largest_, scale_;
};

}  // namespace
}  // namespace emberline
