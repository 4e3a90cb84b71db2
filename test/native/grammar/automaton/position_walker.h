// Texts followed by positions and by states with every count in them, side by side.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/automaton/position.h"
#include "grammar/automaton/random_program.h"
#include "grammar/automaton/state_space.h"
#include "grammar/automaton/token_bits.h"
#include "grammar/automaton/token_masks.h"
#include "tokenizer/toy_vocabulary.h"

namespace emberline::grammar::testing {

// The bytes, and short tokens: many counts of a small program are further away than they reach.
inline std::shared_ptr<const TokenTrie> short_tokens() {
  emberline::testing::ToyVocabulary vocabulary;
  for (const char* text :
       {"ab", "aba", "aa", "é",  "éé", "aé1", "\\n",  "\\\"", "\",\"", "\",", "1,", ",1", ",1,1", ",b",
        "b,", "],[", "]",  "],", "[1", "[[",  "\":1", "b\":", ",\"a",  "},{", "  ", " ,", "k\":"})
    vocabulary.add(emberline::testing::spelled(text), TokenType::kNormal);
  const auto tokenizer = Tokenizer::from_vocabulary(vocabulary.spec());
  return TokenTrie::build(*tokenizer.value(), tokenizer.value()->vocabulary_size()).value();
}

// Follows texts at random, and compares.
class PositionWalker {
 public:
  PositionWalker(std::shared_ptr<const Program> program, std::shared_ptr<const TokenTrie> trie,
                 Random& random)
      : trie_(std::move(trie)), random_(random), space_(std::move(program)), masks_(space_, trie_) {}

  // `masks`: every how many tokens the whole mask is compared; `leave`: one of how many tokens may close
  // something.
  void walk(int tokens, std::uint32_t masks, std::uint32_t leave) {
    state_ = space_.start();
    position_ = state_;
    text_.clear();
    kept_.clear();
    for (int i = 0; i < tokens && state_ != kDead && !::testing::Test::HasFailure(); ++i) {
      compare(i % static_cast<int>(masks) == 0);
      const std::vector<TokenId> allowed = allowed_tokens();
      if (allowed.empty() || !space_.status().ok()) return;
      advance(choice(allowed, leave));
      if (below(random_, 50) == 0) kept_.push_back({position_, state_, text_});
      if (below(random_, 200) == 0 && !kept_.empty()) go_back();
      if (below(random_, 300) == 0 || space_.crowded()) start_over();
    }
  }
  int far = 0, left = 0;  // steps to positions with far counts, and from there to ones without

 private:
  struct Kept {
    Position position;
    StateId state;
    std::string text;
  };

  bool is_far() const { return position_.room[0] > 0; }

  void compare(bool mask) {
    ASSERT_EQ(masks_.exact(position_), state_) << text_.substr(0, 3000);
    EXPECT_EQ(space_.may_end(position_.state), space_.may_end(state_));
    EXPECT_EQ(space_.may_go_on(position_.state), space_.may_go_on(state_));
    if (!mask) return;
    const auto allowed = masks_.allowed(position_);
    for (TokenId id = 0; id < trie_->vocabulary(); ++id) {
      const bool expected = !trie_->bytes(id).empty() && space_.step(state_, trie_->bytes(id)) != kDead;
      if (!space_.status().ok()) return;
      ASSERT_EQ(has_token(allowed, id), expected)
          << ::testing::PrintToString(std::string(trie_->bytes(id))) << " behind " << text_.substr(0, 3000);
      ASSERT_EQ(masks_.advance(position_, id).state == kDead, !expected);
    }
    const auto forced = masks_.forced_text(position_, 40), plainly = masks_.forced_text(state_, 40);
    EXPECT_EQ(forced.bytes, plainly.bytes);
    EXPECT_EQ(forced.whole, plainly.whole);
  }
  std::vector<TokenId> allowed_tokens() {
    const auto mask = masks_.allowed(position_);
    std::vector<TokenId> allowed;
    for (TokenId id = 0; id < trie_->vocabulary(); ++id)
      if (has_token(mask, id)) allowed.push_back(id);
    return allowed;
  }
  // Added tokens rather than bytes, and what leaves things open rather than not.
  TokenId choice(const std::vector<TokenId>& allowed, std::uint32_t leave) {
    const bool closes = below(random_, leave) == 0;
    TokenId best = allowed.front();
    int best_score = -100;
    for (int tries = 0; tries < 6; ++tries) {
      const TokenId id = allowed[below(random_, static_cast<std::uint32_t>(allowed.size()))];
      int score = trie_->bytes(id).size() > 1 ? 1 : 0;
      for (const char c : trie_->bytes(id))
        score += (std::string_view("\"]})").find(c) != std::string_view::npos) == closes ? 0 : -2;
      if (score > best_score) {
        best = id;
        best_score = score;
      }
    }
    return best;
  }
  void advance(TokenId token) {
    const bool before = is_far();
    state_ = space_.step(state_, trie_->bytes(token));
    position_ = masks_.advance(position_, token);
    text_ += trie_->bytes(token);
    far += is_far() ? 1 : 0;
    left += before && !is_far() ? 1 : 0;
  }
  void go_back() {
    const Kept& kept = kept_[below(random_, static_cast<std::uint32_t>(kept_.size()))];
    position_ = kept.position;
    state_ = kept.state;
    text_ = kept.text;
  }
  void start_over() {
    masks_.start_over(position_);
    state_ = space_.step(space_.start(), text_);
    kept_.clear();
  }

  std::shared_ptr<const TokenTrie> trie_;
  Random& random_;
  StateSpace space_;
  TokenMasks masks_;
  StateId state_ = kDead;
  Position position_;
  std::string text_;
  std::vector<Kept> kept_;
};

}  // namespace emberline::grammar::testing
