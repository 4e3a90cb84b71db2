#include "engine/prompt.h"

#include <algorithm>

#include "base/try.h"

namespace emberline {

Status check_tokens(std::span<const TokenId> ids, std::uint32_t vocabulary, const char* what) {
  const auto unknown = std::ranges::find_if(ids, [vocabulary](TokenId id) { return id >= vocabulary; });
  if (unknown == ids.end()) return {};
  return {ErrorCode::kInvalidArgument, "Token id " + std::to_string(*unknown) + " of the " + what +
                                           " is not in the vocabulary; pass ids of this model."};
}

Result<std::vector<TokenId>> encode_prompt(const Tokenizer& tokenizer, const Prompt& prompt,
                                           bool parse_special) {
  std::vector<TokenId> ids;
  bool adds_space = tokenizer.adds_space_prefix();
  for (const PromptPart& part : prompt.parts()) {
    if (const TokenId* token = std::get_if<TokenId>(&part)) {
      TRY(check_tokens({token, 1}, tokenizer.vocabulary_size(), "prompt"));
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
