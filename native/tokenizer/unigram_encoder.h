// SentencePiece's unigram model: of all ways to cut a text into tokens the most probable one.
//
// Source: Kudo 2018 (arXiv:1804.10959), section 3.2: a token's score is its log probability, and the best cut
// is found by Viterbi's algorithm. A character that is no token is an unknown one, ten below the least score,
// as Kudo and Richardson 2018 (arXiv:1808.06226) have it, and is spelled byte by byte.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "tokenizer/scored_vocabulary.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary.h"

namespace emberline {

class UnigramEncoder {
 public:
  // Buffers that one thread reuses from piece to piece.
  struct Scratch {
    // The best cut of what lies before a position.
    struct Cut {
      double score;  // sums of floats are exact, so that cuts of the same tokens are equal in any order
      std::uint32_t start;  // of its last token, which ends at the position; kNowhere: there is no cut
      TokenId token;        // kNoToken: a character that is none
    };
    std::vector<Cut> cuts;  // by position in bytes
    std::vector<Cut> path;
  };

  // As ScoredVocabulary::make.
  static Result<UnigramEncoder> make(const Vocabulary& vocabulary, const std::vector<float>& scores,
                                     TokenId unknown);

  // Appends the ids of `text`, taken as it is; characters that are no tokens as ScoredVocabulary::spell has
  // it. Of equally probable cuts the one whose last tokens are longer. Thread-safe, each thread with
  // its own scratch. O(n log V) but for a factor of the longest token; where `cancel` is seen to be set, what
  // is done so far.
  void encode(std::string_view text, const std::atomic<bool>* cancel, Scratch& scratch,
              std::vector<TokenId>& out) const;

 private:
  explicit UnigramEncoder(ScoredVocabulary&& vocabulary);
  void encode_piece(std::string_view piece, Scratch& scratch, bool& after_unknown,
                    std::vector<TokenId>& out) const;

  ScoredVocabulary vocabulary_;
  std::vector<TokenId> sorted_;             // normal tokens by their bytes, then by their ids
  std::array<std::uint32_t, 257> first_{};  // where those begin in sorted_ whose first byte is the index
  float unknown_score_ = 0;
};

}  // namespace emberline
