// SentencePiece's byte pair encoding: from single characters, always join the two neighbours whose token has
// the highest score, the leftmost first; what ends as no token is spelled byte by byte.
//
// Source: Kudo and Richardson 2018 (arXiv:1808.06226), the model type `bpe` with byte fallback, as Llama 1
// and 2, Code Llama, Mistral 7B, Gemma and Phi-3 have it. The text is taken as it is: no normalisation, and a
// space stands for itself, as it does in the vocabulary's bytes.
#pragma once

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

class ScoredPairEncoder {
 public:
  // Buffers that one thread reuses from piece to piece.
  struct Scratch {
    struct Symbol {
      std::uint32_t length;  // in bytes; 0: joined to its left neighbour
      std::uint32_t previous;
      std::uint32_t next;
    };
    struct Join {
      float score;
      std::uint32_t left;
      std::uint32_t length;  // of both together: another one by now, and the join is stale
    };
    std::vector<Symbol> symbols;  // by the position of their first byte; only those are used
    std::vector<Join> queue;      // a heap, the best join first
  };

  // `vocabulary` must outlive the encoder. `scores`: one a token, no NaN among them; MODEL_METADATA_INVALID
  // otherwise. `unknown`: kNoToken where there is none.
  static Result<ScoredPairEncoder> make(const Vocabulary& vocabulary, const std::vector<float>& scores,
                                        TokenId unknown);

  // Appends the ids of `text`; characters that are no tokens as ScoredVocabulary::spell has it. Thread-safe,
  // each thread with its own scratch. O(n log n) for the longest stretch of text that no token reaches out
  // of; where `cancel` is seen to be set, what is done so far.
  void encode(std::string_view text, const std::atomic<bool>* cancel, Scratch& scratch,
              std::vector<TokenId>& out) const;

 private:
  explicit ScoredPairEncoder(ScoredVocabulary&& vocabulary) : vocabulary_(std::move(vocabulary)) {}
  // `after_unknown`: whether the unknown token came last.
  void encode_piece(std::string_view piece, Scratch& scratch, bool& after_unknown,
                    std::vector<TokenId>& out) const;

  ScoredVocabulary vocabulary_;
};

}  // namespace emberline
