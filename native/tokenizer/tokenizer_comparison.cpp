#include "tokenizer/tokenizer_comparison.h"

#include <cstdint>

namespace emberline {

namespace {

std::uint32_t used_size(const Tokenizer& tokenizer) {
  std::uint32_t size = tokenizer.vocabulary_size();
  while (size > 0 && tokenizer.kind(size - 1) == TokenKind::kUnused) --size;
  return size;
}

}  // namespace

std::string tokenizer_difference(const Tokenizer& one, const Tokenizer& other) {
  const std::uint32_t size = used_size(one);
  if (size != used_size(other)) {
    return "one has " + std::to_string(size) + " tokens, the other " + std::to_string(used_size(other));
  }
  if (one.pre_tokenizer_name() != other.pre_tokenizer_name()) {
    return "one splits text by '" + one.pre_tokenizer_name() + "', the other by '" +
           other.pre_tokenizer_name() + "'";
  }
  for (TokenId token = 0; token < size; ++token) {
    const auto differs = [token](const char* how) { return "token " + std::to_string(token) + how; };
    if (one.bytes(token) != other.bytes(token)) return differs(" stands for other text");
    if (one.kind(token) != other.kind(token)) return differs(" is of another kind");
    if (one.ends_generation(token) != other.ends_generation(token))
      return differs(" ends the text of one alone");
  }
  if (one.bos() != other.bos() || one.eos() != other.eos()) return "texts begin or end with other tokens";
  return {};
}

}  // namespace emberline
