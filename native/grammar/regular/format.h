// The formats of JSON Schema (2020-12, section 7.3, and those of the drafts before it) as languages of text.
#pragma once

#include <optional>
#include <string_view>

#include "base/status.h"
#include "grammar/regular/dfa.h"

namespace emberline::grammar {

// The texts of the format `name`; nullopt where no draft from 4 on knows the name. GRAMMAR_UNSUPPORTED for
// `idn-hostname`. Of `hostname` the labels with Punycode (`xn--`) are left out, of `regex` what is not
// regular: see format_languages.h. Automata that take long to make are kept for the process. Thread-safe.
std::optional<Result<Dfa>> format_language(std::string_view name);
// For formats of which format_language() has only a part: a language that holds all of them.
std::optional<Result<Dfa>> wider_format(std::string_view name);
// Its JSON texts, with quotes: json_text() of the language, kept too. For names that have a language.
Result<Dfa> quoted_format(std::string_view name);

}  // namespace emberline::grammar
