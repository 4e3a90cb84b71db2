// The sets of characters that regular expressions have names for.
#pragma once

#include <optional>
#include <string_view>

#include "grammar/regular/code_points.h"

namespace emberline::grammar {

const CodePointSet& any_character();
const CodePointSet& digits();           // \d
const CodePointSet& word_characters();  // \w
const CodePointSet& white_space();      // \s, as ECMA 262 has it: WhiteSpace and LineTerminator
const CodePointSet& no_line_end();      // . : all but LF, CR, U+2028 and U+2029

// What \p{...} names: a general category (`L`, `Letter`, `gc=Lu`), a script (`Script=Greek`, `sc=Grek`) or
// one of the binary properties Any, ASCII, Assigned, Alphabetic, Emoji, ID_Start, ID_Continue, Lowercase,
// Uppercase and White_Space. Unicode 17.0. nullopt where the name is not known here.
std::optional<CodePointSet> unicode_property(std::string_view name);

}  // namespace emberline::grammar
