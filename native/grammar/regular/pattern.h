// Regular expressions of ECMA 262 as JSON Schema uses them: with the u flag, found anywhere in the text.
//
// Where the u flag would refuse what real schemas write (`\-`, `\_`, a lone `]` or `{`), Annex B's reading
// holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "grammar/regular/dfa.h"

namespace emberline::grammar {

// The texts (valid UTF-8) in which `pattern` (UTF-8) is found. GRAMMAR_INVALID where it is none, with the
// place; GRAMMAR_UNSUPPORTED for what is not regular or not known here, by name; GRAMMAR_TOO_LARGE.
Result<Dfa> pattern_language(std::string_view pattern);

// `^C{least,most}$` for one class of characters C, and the like: the texts of C* with that many characters.
struct CountedPattern {
  Dfa language;  // C*
  std::uint32_t least = 0, most = kNone;
};
// For patterns of this form whose bounds are worth being counted instead of having states; nullopt for
// others.
std::optional<CountedPattern> counted_pattern(std::string_view pattern);

}  // namespace emberline::grammar
