#include "decode/token_sets.h"

#include <algorithm>
#include <string_view>

#include "decode/blank.h"

namespace emberline {

TokenSets TokenSets::build(const Tokenizer& tokenizer, std::uint32_t vocabulary) {
  TokenSets sets;
  sets.ends = sets.ends_or_breaks = TokenSet(vocabulary);
  for (TokenId token = 0; token < vocabulary; ++token) {
    const TokenKind kind = token < tokenizer.vocabulary_size() ? tokenizer.kind(token) : TokenKind::kUnused;
    if (kind == TokenKind::kControl || kind == TokenKind::kUnused || tokenizer.ends_generation(token)) {
      sets.ends.insert(token);
      sets.ends_or_breaks.insert(token);
      sets.blank_start_bans.push_back(token);
      continue;
    }
    const std::string_view bytes = tokenizer.bytes(token);
    sets.longest_token = std::max(sets.longest_token, bytes.size());
    if (has_line_break(bytes)) sets.ends_or_breaks.insert(token);
    if (breaks_line_while_blank(bytes)) {
      sets.blank_start_bans.push_back(token);
    } else if (begins_blank(bytes)) {
      sets.blank_starts.push_back(token);
    }
  }
  return sets;
}

}  // namespace emberline
