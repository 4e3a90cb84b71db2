// How the model of a folder was taught to be talked to, as GGUF's `tokenizer.chat_template`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "grammar/json/json_value.h"

namespace emberline {

// The template of chat_template.jinja (`utf8_path`), which transformers writes and prefers; where there is no
// such file, that of tokenizer_config.json (`settings`): a text, or of a list with names the one for a plain
// chat, `default`. None where neither has one, and where it is longer than 1 MiB. FILE_*.
Result<std::optional<std::string>> read_chat_template(const std::string& utf8_path,
                                                      const grammar::Json& settings);

}  // namespace emberline
