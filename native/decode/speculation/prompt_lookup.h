// Drafts without a second model: what followed when the last tokens stood somewhere before, in the text being
// written or in one beside it.
//
// Source: Saxena, "Prompt lookup decoding" (2023); Oliaro, Jia, Campos and Qiao, "SuffixDecoding" (arXiv
// 2411.04975), of which the longest match in a suffix automaton is taken, and of several occurrences a recent
// one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decode/speculation/draft.h"
#include "decode/speculation/suffix_automaton.h"

namespace emberline {

// A text beside the prompt, read.
using ReferenceText = std::shared_ptr<const SuffixAutomaton>;

class PromptLookup final : public Draft {
 public:
  // A new sequence, of which nothing is known yet, and the texts beside it, nearest first.
  void begin(std::vector<ReferenceText> references);

  // `sequence` goes on from that of the last call since begin(). A match that reaches to the end of the
  // sequence is taken to repeat itself again.
  Status propose(std::span<const TokenId> sequence, std::uint32_t most, const SamplingParams& sampling,
                 const std::atomic<bool>* cancel, DraftTokens& out) override;

  // Tokens of `sequence` that stood before what was proposed last; 0: there was no proposal.
  std::uint32_t match_length() const { return match_length_; }

 private:
  struct Reference {
    ReferenceText text;
    SuffixAutomaton::Cursor cursor;
  };
  void follow(std::span<const TokenId> sequence);

  SuffixAutomaton own_;
  std::vector<Reference> references_;
  std::uint32_t match_length_ = 0;
};

}  // namespace emberline
