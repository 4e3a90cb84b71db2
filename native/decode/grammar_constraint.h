// A grammar as what generated tokens have to satisfy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "decode/constraint.h"
#include "grammar/automaton/position.h"
#include "grammar/automaton/state_space.h"
#include "grammar/automaton/token_masks.h"
#include "grammar/automaton/token_trie.h"
#include "grammar/grammar.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

// What grammars have to know of a model's vocabulary. Immutable, one a model.
struct GrammarTokens {
  const Tokenizer* tokenizer = nullptr;  // the model's, which outlives this
  std::shared_ptr<const grammar::TokenTrie> trie;

  // `vocabulary`: of the model's logits.
  static Result<std::shared_ptr<const GrammarTokens>> build(const Tokenizer& tokenizer,
                                                            std::uint32_t vocabulary);
};

// A grammar over a vocabulary, with the states and masks that were met: the next text of the same grammar
// finds them there. Single-threaded; one text at a time.
class GrammarMatcher {
 public:
  GrammarMatcher(std::shared_ptr<const grammar::Grammar> grammar,
                 std::shared_ptr<const GrammarTokens> tokens);

  const std::shared_ptr<const grammar::Grammar>& grammar() const { return grammar_; }
  // What keeps it from being of use: GRAMMAR_INVALID where the vocabulary lacks a token that the grammar
  // names, GRAMMAR_TOO_LARGE once a bound was hit.
  Status status() const;

 private:
  friend class GrammarConstraint;
  friend Result<std::vector<double>> mask_times(std::shared_ptr<const grammar::Grammar> grammar,
                                                std::shared_ptr<const GrammarTokens> tokens,
                                                std::span<const TokenId> text);

  std::shared_ptr<const grammar::Grammar> grammar_;
  std::shared_ptr<const GrammarTokens> tokens_;
  grammar::StateSpace space_;
  grammar::TokenMasks masks_;
};

// How long it takes, microseconds, before each token of `text` and behind the last, to find what `grammar`
// allows: with nothing remembered at first. Ends where a token is not allowed. What GrammarMatcher::status()
// says.
Result<std::vector<double>> mask_times(std::shared_ptr<const grammar::Grammar> grammar,
                                       std::shared_ptr<const GrammarTokens> tokens,
                                       std::span<const TokenId> text);

class GrammarConstraint final : public Constraint {
 public:
  // Goes on behind `prefix` and `required_prefix`, which somebody wrote; the tokens of the text begin with
  // those that spell `required_prefix`, in any way. `matcher` outlives this. GRAMMAR_REJECTS_PREFIX where no
  // text of the grammar begins with both, and what GrammarMatcher::status() says.
  static Result<std::unique_ptr<GrammarConstraint>> begin(GrammarMatcher& matcher, std::string_view prefix,
                                                          std::string_view required_prefix);

  Status mask(std::span<float> logits) override;
  void advance(TokenId token) override;
  void forced(std::uint32_t most, std::vector<TokenId>& out) override;
  bool complete() const override;
  bool holds() const override;
  bool reads(TokenId token) const override;
  std::size_t admitted(std::span<const TokenId> tokens) override;

 private:
  GrammarConstraint(GrammarMatcher& matcher, grammar::Position position, std::string_view spelling)
      : matcher_(matcher), position_(position), spelling_(spelling) {}
  // The bytes of `token` beyond what still has to be spelled.
  std::string_view beyond(TokenId token) const;

  GrammarMatcher& matcher_;
  grammar::Position position_;  // behind what has to be spelled
  std::string spelling_;        // bytes of the required prefix that are still to come
};

}  // namespace emberline
