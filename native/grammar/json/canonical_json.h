// The compact form of a document in which every string and every number has one spelling.
#pragma once

#include <string>

#include "base/status.h"
#include "grammar/json/json_value.h"

namespace emberline::grammar {

// Without whitespace, members in their own order, strings as json_quoted() and numbers as canonical_text()
// spell them. GRAMMAR_TOO_LARGE where a number is beyond what Decimal holds.
Result<std::string> canonical_json(const Json& value);

}  // namespace emberline::grammar
