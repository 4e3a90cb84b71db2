// Reads JSON (RFC 8259).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "grammar/json/json_value.h"

namespace emberline::grammar {

struct JsonBounds {
  std::uint32_t depth = 256;       // of nested objects and arrays
  std::size_t values = 4'000'000;  // of all kinds together
};

// All of `text` (UTF-8, without a byte order mark). Where a key comes twice its last value stays, in the
// first one's place. GRAMMAR_INVALID with line and column where it is not JSON; a lone surrogate is an error
// too. GRAMMAR_TOO_LARGE beyond the bounds.
Result<Json> read_json(std::string_view text, const JsonBounds& bounds = {});

}  // namespace emberline::grammar
