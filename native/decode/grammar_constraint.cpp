#include "decode/grammar_constraint.h"

#include <algorithm>
#include <utility>

#include "base/stopwatch.h"
#include "base/try.h"
#include "decode/logit_mask.h"
#include "sampling/masked_logit.h"

namespace emberline {

namespace {

// What is looked for of a forced text: more than most tokens have.
constexpr std::size_t kBytesAToken = 16;

}  // namespace

using grammar::kDead;
using grammar::Position;
using grammar::StateId;

Result<std::shared_ptr<const GrammarTokens>> GrammarTokens::build(const Tokenizer& tokenizer,
                                                                  std::uint32_t vocabulary) {
  TRY_VALUE(auto trie, grammar::TokenTrie::build(tokenizer, vocabulary));
  return std::make_shared<const GrammarTokens>(GrammarTokens{&tokenizer, std::move(trie)});
}

GrammarMatcher::GrammarMatcher(std::shared_ptr<const grammar::Grammar> grammar,
                               std::shared_ptr<const GrammarTokens> tokens)
    : grammar_(std::move(grammar)),
      tokens_(std::move(tokens)),
      space_(grammar_->program()),
      masks_(space_, tokens_->trie) {}

Status GrammarMatcher::status() const {
  const Status named = masks_.status();
  return named.ok() ? space_.status() : named;
}

Result<std::vector<double>> mask_times(std::shared_ptr<const grammar::Grammar> grammar,
                                       std::shared_ptr<const GrammarTokens> tokens,
                                       std::span<const TokenId> text) {
  GrammarMatcher matcher(std::move(grammar), std::move(tokens));
  std::vector<double> times;
  Position position(matcher.space_.start());
  for (std::size_t at = 0; at <= text.size() && position.state != kDead; ++at) {
    const Stopwatch watch;
    matcher.masks_.allowed(position);
    times.push_back(1000 * watch.milliseconds());
    TRY(matcher.status());
    if (at < text.size()) position = matcher.masks_.advance(position, text[at]);
    if (matcher.space_.crowded()) matcher.masks_.start_over(position);
  }
  return times;
}

Result<std::unique_ptr<GrammarConstraint>> GrammarConstraint::begin(GrammarMatcher& matcher,
                                                                    std::string_view prefix,
                                                                    std::string_view required_prefix) {
  TRY(matcher.status());
  grammar::StateSpace& space = matcher.space_;
  if (space.crowded()) space.start_over({});
  // As one text: a token boundary may stand in the middle of whitespace.
  std::string written(prefix);
  written += required_prefix;
  const StateId state = space.replay(space.start(), written);
  TRY(space.status());
  if (space.start() == kDead) {
    return Status(ErrorCode::kGrammarRejectsPrefix,
                  "The grammar allows no text at all, since nothing conforms to it; correct it, or generate "
                  "without it.");
  }
  if (state == kDead) {
    return Status(
        ErrorCode::kGrammarRejectsPrefix,
        "The text before the cursor is not the beginning of any text that the grammar allows; correct "
        "it, or generate without the grammar.");
  }
  return std::unique_ptr<GrammarConstraint>(new GrammarConstraint(matcher, state, required_prefix));
}

std::string_view GrammarConstraint::beyond(TokenId token) const {
  const std::string_view bytes = matcher_.tokens_->trie->bytes(token);
  return bytes.substr(std::min(bytes.size(), spelling_.size()));
}

Status GrammarConstraint::mask(std::span<float> logits) {
  grammar::StateSpace& space = matcher_.space_;
  if (spelling_.empty()) {
    const bool may_end = space.may_end(position_.state);
    const std::span<const std::uint64_t> ends = matcher_.tokens_->trie->ends();
    keep_allowed(matcher_.masks_.allowed(position_), may_end ? ends : ends.first(0), logits);
    return matcher_.status();
  }
  // The others are masked already; of these the bytes that go beyond the required prefix have to be right.
  for (TokenId token = 0; token < logits.size(); ++token) {
    if (logits[token] == kMaskedLogit) continue;
    const std::string_view bytes = beyond(token);
    // Tokens that the trie leaves out have no bytes there.
    const bool unknown = matcher_.tokens_->trie->bytes(token).empty();
    if (unknown || (!bytes.empty() && space.step(position_.state, bytes) == kDead))
      logits[token] = kMaskedLogit;
  }
  return matcher_.status();
}

void GrammarConstraint::advance(TokenId token) {
  grammar::StateSpace& space = matcher_.space_;
  if (spelling_.empty()) {
    position_ = matcher_.masks_.advance(position_, token);
  } else {
    const std::string_view bytes = beyond(token);
    if (!bytes.empty()) position_ = space.step(matcher_.masks_.exact(position_), bytes);
    spelling_.erase(0, matcher_.tokens_->trie->bytes(token).size());
  }
  if (space.crowded()) matcher_.masks_.start_over(position_);
}

void GrammarConstraint::forced(std::uint32_t most, std::vector<TokenId>& out) {
  if (!spelling_.empty()) return;
  const auto [bytes, whole] = matcher_.masks_.forced_text(position_, most * kBytesAToken);
  if (bytes.empty()) return;
  // As the model has learnt to split text. What follows may become one token with the last of them.
  const Tokenizer& tokenizer = *matcher_.tokens_->tokenizer;
  std::vector<TokenId> tokens = tokenizer.encode(bytes, false);
  if (!whole && !tokens.empty()) {
    const std::string_view last = tokenizer.bytes(tokens.back());
    const std::span<const TokenId> beginning = tokenizer.tokens_starting_with(last);
    // Of tokens with the same beginning, those that are longer than it come last.
    if (!beginning.empty() && tokenizer.bytes(beginning.back()).size() > last.size()) tokens.pop_back();
  }
  tokens.resize(std::min<std::size_t>(tokens.size(), most));
  out.insert(out.end(), tokens.begin(), tokens.end());
}

bool GrammarConstraint::complete() const {
  const grammar::StateSpace& space = matcher_.space_;
  return spelling_.empty() && space.may_end(position_.state) && !space.may_go_on(position_.state);
}

bool GrammarConstraint::holds() const {
  return position_.state != kDead;
}

bool GrammarConstraint::reads(TokenId token) const {
  return !matcher_.tokens_->trie->ends_generation(token);
}

std::size_t GrammarConstraint::admitted(std::span<const TokenId> tokens) {
  Position position = position_;
  std::size_t count = 0;
  for (; count < tokens.size(); ++count) {
    position = matcher_.masks_.advance(position, tokens[count]);
    if (position.state == kDead) break;
  }
  return count;
}

}  // namespace emberline
