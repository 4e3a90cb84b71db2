// What SentencePiece's two models have in common: a score a token, stretches of text that no token reaches
// out of, and a spelling for characters that are no tokens.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary.h"

namespace emberline {

class ScoredVocabulary {
 public:
  // `vocabulary` must outlive this. `scores`: one a token, no NaN among them; MODEL_METADATA_INVALID
  // otherwise. `unknown`: kNoToken where there is none.
  static Result<ScoredVocabulary> make(const Vocabulary& vocabulary, const std::vector<float>& scores,
                                       TokenId unknown);

  const Vocabulary& tokens() const { return *tokens_; }
  // Precondition: id < tokens().size().
  float score(TokenId id) const { return scores_[id]; }
  // Of normal tokens, in bytes; 0 where there is none.
  std::uint32_t longest_token() const { return longest_token_; }

  // Calls encode(piece, after_unknown) for one stretch of `text` after the other that no token reaches out
  // of, of 64 MiB at most, until `cancel` is seen to be set. `after_unknown`: as spell() has it.
  template <typename Encode>
  void each_piece(std::string_view text, const std::atomic<bool>* cancel, const Encode& encode) const {
    bool after_unknown = false;
    while (!text.empty() && !is_cancelled(cancel)) {
      const std::string_view piece = next_piece(text);
      encode(piece, after_unknown);
      text.remove_prefix(piece.size());
    }
  }

  // Appends the byte tokens of a character that is no token itself. Where one is lacking the character is the
  // unknown token, several in a row are one; they are left out where there is none. `after_unknown`: whether
  // the unknown token came last.
  void spell(std::string_view character, bool& after_unknown, std::vector<TokenId>& out) const;

 private:
  explicit ScoredVocabulary(const Vocabulary& tokens) : tokens_(&tokens) {}
  // `text` is not empty.
  std::string_view next_piece(std::string_view text) const;

  const Vocabulary* tokens_;
  std::vector<float> scores_;
  TokenId unknown_ = kNoToken;
  std::uint32_t longest_token_ = 0;
  // Whether a token has a space behind something else: if none has, no token crosses such a place, and a text
  // can be cut there.
  bool tokens_reach_over_words_ = false;
};

}  // namespace emberline
