#include "decode/healing.h"

#include <algorithm>
#include <cstddef>

#include "decode/blank.h"

namespace emberline {

void tokens_that_spell(const Tokenizer& tokenizer, const TokenSets& sets, std::string_view remaining,
                       bool ban_blank_start, std::vector<TokenId>& allowed) {
  allowed.clear();
  // Proper prefixes. One token stands for each string: of duplicates the tokenizer names one.
  const std::size_t longest = std::min(remaining.size() - 1, sets.longest_token);
  for (std::size_t length = 1; length <= longest; ++length) {
    const TokenId token = tokenizer.token_of_bytes(remaining.substr(0, length));
    if (token != kNoToken && !sets.ends.contains(token)) allowed.push_back(token);
  }
  const bool blank_complete = ban_blank_start && ends_with_space(remaining);
  for (const TokenId token : tokenizer.tokens_starting_with(remaining)) {
    if (sets.ends.contains(token)) continue;
    const std::string_view beyond = tokenizer.bytes(token).substr(remaining.size());
    if (ban_blank_start && breaks_line_while_blank(beyond)) continue;
    if (blank_complete && begins_blank(beyond)) continue;
    allowed.push_back(token);
  }
}

}  // namespace emberline
