// The JSON text of strings, spelt in one way: raw UTF-8 but for `"`, `\` and U+0000..U+001F, which are
// `\" \\ \b \f \n \r \t`, else `\u00xx` with lower-case digits (RFC 8259, section 7).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "grammar/regular/dfa.h"

namespace emberline::grammar {

struct JsonText {
  Dfa dfa;
  // [states]: whether the state is between two characters of the string (an escape is one character). States
  // that differ in this are kept apart.
  std::vector<std::uint8_t> between;
};

// From a language of valid UTF-8 texts to that of their JSON texts, with the quotes around them or without.
// Labels survive. GRAMMAR_TOO_LARGE.
Result<JsonText> json_text(const Dfa& text, bool quotes);

// The one spelling of `utf8_text`, with quotes.
std::string json_quoted(std::string_view utf8_text);

}  // namespace emberline::grammar
