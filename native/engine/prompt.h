// What a completion goes on from: texts, and single tokens between them that no text can spell.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

// A text, UTF-8 (invalid sequences are kept byte by byte), or a token.
using PromptPart = std::variant<std::string, TokenId>;

class Prompt {
 public:
  Prompt() = default;
  // A text alone. Implicit: it is what most prompts are.
  Prompt(std::string text) : parts_{std::move(text)} {}
  Prompt(const char* text) : Prompt(std::string(text)) {}
  Prompt(std::vector<PromptPart> parts) : parts_(std::move(parts)) {}

  const std::vector<PromptPart>& parts() const { return parts_; }

 private:
  std::vector<PromptPart> parts_;
};

// INVALID_ARGUMENT for an id that is not below `vocabulary`; `what`: of what they are.
Status check_tokens(std::span<const TokenId> ids, std::uint32_t vocabulary, const char* what);

// Each text is tokenized on its own: no token reaches over a boundary. The first that is not empty has a
// space in front of it where the model was taught so (Tokenizer::adds_space_prefix). `parse_special` as
// Tokenizer::encode has it, of the texts. INVALID_ARGUMENT for a token that is not in the vocabulary.
Result<std::vector<TokenId>> encode_prompt(const Tokenizer& tokenizer, const Prompt& prompt,
                                           bool parse_special);

}  // namespace emberline
