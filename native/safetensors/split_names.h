// GGUF's name of how a tokenizer.json splits text before merges apply.
#pragma once

#include <string>

#include "grammar/json/json_value.h"

namespace emberline {

// `pre_tokenizer`: its value. Where the engine knows no such way, what stands there is told in one line
// instead of a name, which no name is equal to: it is refused by that then.
std::string split_name(const grammar::Json* pre_tokenizer, bool ignores_merges);

// Whether bytes are spelled in GPT-2's alphabet.
bool spells_bytes(const grammar::Json* pre_tokenizer);

}  // namespace emberline
