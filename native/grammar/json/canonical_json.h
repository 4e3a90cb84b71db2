// The compact form of a document in which every string and every number has one spelling.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "grammar/json/json_value.h"

namespace emberline::grammar {

// What tells numbers apart.
enum class Fractions : std::uint8_t {
  kByValue,  // 1.0 is 1
  kByText,   // 1.0 and 10e-1 are 1.0, which is not 1
};

// Without whitespace, members in their own order, strings as json_quoted() and numbers as canonical_text()
// spell them. GRAMMAR_TOO_LARGE where a number is beyond what Decimal holds.
Result<std::string> canonical_json(const Json& value, Fractions fractions = Fractions::kByValue);

}  // namespace emberline::grammar
