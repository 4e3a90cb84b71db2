#include "engine/prompt.h"

namespace emberline {

Result<std::vector<TokenId>> encode_prompt(const Tokenizer& tokenizer, const Prompt& prompt,
                                           bool parse_special) {
  std::vector<TokenId> ids;
  bool adds_space = tokenizer.adds_space_prefix();
  for (const PromptPart& part : prompt.parts()) {
    if (const TokenId* token = std::get_if<TokenId>(&part)) {
      if (*token >= tokenizer.vocabulary_size()) {
        return Status(ErrorCode::kInvalidArgument,
                      "Token id " + std::to_string(*token) +
                          " of the prompt is not in the vocabulary; pass ids of this model.");
      }
      ids.push_back(*token);
    } else if (const std::string* text = std::get_if<std::string>(&part)) {
      if (text->empty()) continue;
      const std::vector<TokenId> spelled = tokenizer.encode(adds_space ? ' ' + *text : *text, parse_special);
      adds_space = false;
      ids.insert(ids.end(), spelled.begin(), spelled.end());
    }
  }
  return ids;
}

}  // namespace emberline
