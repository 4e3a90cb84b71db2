// Preprocessed Metal source as tokens, each with its place in the text, so that a translation can leave
// everything else as it stands.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace emberline::metal_sim {

enum class TokenKind { kIdentifier, kNumber, kString, kPunctuation, kDirective };

struct Token {
  TokenKind kind;
  std::string_view text;  // a whole line for a directive
  std::size_t begin = 0;  // offset in the source
  std::size_t end() const { return begin + text.size(); }
  bool is(std::string_view other) const { return kind != TokenKind::kString && text == other; }
};

// Comments and white space are left out. Punctuation comes one character at a time.
std::vector<Token> tokenize(std::string_view source);

// Where a token stands, from the line markers ("# 12 "mat_vec.h"") before it: "mat_vec.h:12".
std::string place_of(std::string_view source, std::size_t offset);

// The index of the bracket that closes the one at `open`, or tokens.size().
std::size_t closing(const std::vector<Token>& tokens, std::size_t open);

}  // namespace emberline::metal_sim
