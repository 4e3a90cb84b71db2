// Exact decimal numbers, as JSON writes them.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace emberline::grammar {

// digits * 10^exponent. Always reduced, so that equal numbers have equal members: no zero at either end of
// `digits`; 0 is no digits, exponent 0, not negative.
struct Decimal {
  bool negative = false;
  std::string digits;         // '0'..'9'
  std::int64_t exponent = 0;  // within +-2 * kMostDecimalExponent

  bool zero() const { return digits.empty(); }
  bool integer() const { return exponent >= 0; }
  bool operator==(const Decimal&) const = default;
};

inline constexpr std::int64_t kMostDecimalExponent = 1'000'000;

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);

// Reads a JSON number (RFC 8259, section 6), all of `text`. GRAMMAR_INVALID where it is none;
// GRAMMAR_TOO_LARGE beyond kMostDecimalExponent for the exponent or the number of digits.
Result<Decimal> decimal_from_json(std::string_view text);
Decimal decimal_from_integer(std::int64_t value);

// The one spelling of a number: its expansion, without an exponent where that has at most 400 digits, with no
// zeros at the end of a fraction; beyond that `1.25e400`, `-1e-500`. 0 for -0.
std::string canonical_text(const Decimal& number);

// Whether `number` is an integer times `divisor`, which is not 0. GRAMMAR_TOO_LARGE where they are more than
// 100,000 digits apart, or the divisor has more than 18 digits between the zeros.
Result<bool> is_multiple(const Decimal& number, const Decimal& divisor);

}  // namespace emberline::grammar
