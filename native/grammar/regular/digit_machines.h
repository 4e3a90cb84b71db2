// Small machines that read the digits of a number without sign, `(0|[1-9][0-9]*)(\.[0-9]+)?`, and know
// something about its value. States are numbers; number_text() runs several side by side.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "grammar/regular/decimal.h"

namespace emberline::grammar {

inline constexpr char kPoint = '.';  // the symbols are '0' .. '9' and this

// Compares what was read with a number that is not negative.
class Comparison {
 public:
  // GRAMMAR_TOO_LARGE where `bound` has more than kMostBoundDigits digits written out. Its sign is not looked
  // at.
  static Result<Comparison> with(const Decimal& bound);

  std::uint32_t start() const { return whole_state(0, kSame); }
  std::uint32_t step(std::uint32_t state, char symbol) const;
  // What was read, compared with the bound, if it ends here.
  std::strong_ordering outcome(std::uint32_t state) const;

 private:
  static constexpr std::uint32_t kLess = 0, kGreater = 1, kStates = 2;
  enum Order : std::uint32_t { kBelow, kSame, kAbove };

  std::uint32_t whole_state(std::size_t digits, Order order) const {
    return kStates + 3 * static_cast<std::uint32_t>(digits) + order;
  }
  std::uint32_t fraction_state(std::size_t digits) const {
    return whole_state(whole_.size() + 1, kBelow) + static_cast<std::uint32_t>(digits);
  }

  std::string whole_,
      fraction_;  // digits; the whole ones without zeros in front but for 0, the others at the end
};

// Knows whether what was read is a multiple of a divisor.
class Divisibility {
 public:
  // GRAMMAR_INVALID where `divisor` is not above 0; GRAMMAR_TOO_LARGE beyond kMostRemainders remainders or
  // kMostBoundDigits digits behind the point.
  static Result<Divisibility> by(const Decimal& divisor);

  std::uint32_t start() const { return zeros_ > 0 ? zeros_ * modulus_ : 0; }
  // kNone: no continuation is a multiple.
  std::uint32_t step(std::uint32_t state, char symbol) const;
  bool multiple(std::uint32_t state) const;

 private:
  // The divisor is modulus * 10^zeros, or modulus / 10^places. States: remainder + modulus * (zeros at the
  // end, at most zeros_, before the point; 1 + digits behind it).
  std::uint32_t modulus_ = 1, zeros_ = 0, places_ = 0;
};

inline constexpr std::size_t kMostBoundDigits = 4096;
inline constexpr std::uint32_t kMostRemainders = 1u << 16;

}  // namespace emberline::grammar
