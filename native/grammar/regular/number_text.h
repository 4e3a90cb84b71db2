// The JSON texts of the numbers that satisfy a rule.
#pragma once

#include <compare>
#include <optional>
#include <vector>

#include "base/status.h"
#include "grammar/regular/decimal.h"
#include "grammar/regular/dfa.h"

namespace emberline::grammar {

struct NumberRule {
  std::optional<Decimal> least;
  std::optional<Decimal> most;
  bool least_exclusive = false;
  bool most_exclusive = false;
  bool integer = false;               // texts without a fraction: the canonical form of 1.0 is 1
  std::vector<Decimal> multiples_of;  // of each of them; above 0
  std::vector<Decimal> except;
  bool one_text =
      false;  // the canonical text of each number alone (canonical_text(), never with an exponent)

  // Only what also is above (below) a bound, or is it where the bound is not exclusive.
  void bound_below(const Decimal& bound, bool exclusive);
  void bound_above(const Decimal& bound, bool exclusive);
  // Orders rules for maps, not by the numbers they let through.
  auto operator<=>(const NumberRule&) const = default;
  bool limited() const {
    return least || most || integer || !multiples_of.empty() || !except.empty() || one_text;
  }
};

// `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE](\+?[0-9]{1,2}|-[0-9]+))?` where nothing limits the number; else without
// an exponent and without `-0`, the numbers of the rule exactly, of any number of digits. The empty language
// where there is none. GRAMMAR_INVALID where a divisor is not above 0; GRAMMAR_TOO_LARGE, above all for
// divisors of many digits.
Result<Dfa> number_text(const NumberRule& rule);

}  // namespace emberline::grammar
