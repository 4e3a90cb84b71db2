// Vocabularies small enough to reason about: the 256 bytes, and what a test adds.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/vocabulary_spec.h"

namespace emberline::testing {

// `bytes` in GPT-2's byte alphabet.
inline std::string spelled(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    unsigned character = byte;
    if (byte <= 32) character = 0x100u + byte;
    if (byte >= 127 && byte <= 160) character = 0x100u + 33 + (byte - 127u);
    if (byte == 173) character = 0x143;
    if (character < 0x80) {
      out.push_back(static_cast<char>(character));
    } else {
      out.push_back(static_cast<char>(0xC0 | character >> 6));
      out.push_back(static_cast<char>(0x80 | (character & 0x3F)));
    }
  }
  return out;
}

// Token ids: byte b is id b; everything added follows in order.
class ToyVocabulary {
 public:
  explicit ToyVocabulary(std::string pre_tokenizer = "gpt-2") : pre_tokenizer_(std::move(pre_tokenizer)) {
    for (int byte = 0; byte < 256; ++byte) {
      const char c = static_cast<char>(byte);
      add(spelled({&c, 1}), TokenType::kNormal);
    }
  }

  // The id of a token spelled as given.
  TokenId add(std::string spelling, TokenType type) {
    texts_.push_back(std::move(spelling));
    tokens_.push_back(texts_.back());
    types_.push_back(type);
    return static_cast<TokenId>(tokens_.size() - 1);
  }

  // A merge of two byte strings. Adds the token they make together, and returns its id.
  TokenId merge(std::string_view left, std::string_view right) {
    add_merge(spelled(left) + " " + spelled(right));
    return add(spelled(std::string(left) + std::string(right)), TokenType::kNormal);
  }
  void add_merge(std::string text) {
    texts_.push_back(std::move(text));
    merges_.push_back(texts_.back());
  }

  // Views into this object.
  VocabularySpec spec() const&& = delete;
  VocabularySpec spec() const& {
    VocabularySpec spec;
    spec.tokens = tokens_;
    spec.types = types_;
    spec.merges = merges_;
    spec.pre_tokenizer = pre_tokenizer_;
    return spec;
  }

 private:
  std::string pre_tokenizer_;
  std::deque<std::string> texts_;  // a deque: the views stay valid as it grows
  std::vector<std::string_view> tokens_;
  std::vector<TokenType> types_;
  std::vector<std::string_view> merges_;
};

// The same for a SentencePiece model: the unknown token is 0, byte b is the byte fallback 1 + b, and
// everything added follows in order.
class ToyPieces {
 public:
  explicit ToyPieces(bool with_bytes = true) {
    add("<unk>", TokenType::kUnknown);
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    for (std::size_t byte = 0; with_bytes && byte < 256; ++byte) {
      add(std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">", TokenType::kByte);
    }
  }

  static TokenId fallback(char byte) { return 1 + static_cast<unsigned char>(byte); }

  // The id of a token spelled as given, with U+2581 for a space.
  TokenId add(std::string spelling, TokenType type, float score = 0) {
    texts_.push_back(std::move(spelling));
    tokens_.push_back(texts_.back());
    types_.push_back(type);
    scores_.push_back(score);
    return static_cast<TokenId>(tokens_.size() - 1);
  }
  TokenId piece(std::string spelling, float score) {
    return add(std::move(spelling), TokenType::kNormal, score);
  }

  // Views into this object.
  VocabularySpec spec() const&& = delete;
  VocabularySpec spec() const& {
    VocabularySpec spec;
    spec.model = TokenizerModel::kSentencePiece;
    spec.tokens = tokens_;
    spec.types = types_;
    spec.scores = scores_;
    spec.pre_tokenizer = "llama";
    spec.unknown = 0;
    return spec;
  }

 private:
  std::deque<std::string> texts_;  // a deque: the views stay valid as it grows
  std::vector<std::string_view> tokens_;
  std::vector<TokenType> types_;
  std::vector<float> scores_;
};

}  // namespace emberline::testing
