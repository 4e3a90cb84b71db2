// Which tokens of a vocabulary may come next.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "grammar/automaton/position.h"
#include "grammar/automaton/state_space.h"
#include "grammar/automaton/token_trie.h"

namespace emberline::grammar {

// A token is allowed where its bytes lead on to a state that is not kDead, or where it is of a token set that
// is read next. End tokens never are: see StateSpace::may_end.
class TokenMasks {
 public:
  // `space` outlives this, and has made no states yet.
  TokenMasks(StateSpace& space, std::shared_ptr<const TokenTrie> trie);
  ~TokenMasks();
  TokenMasks(const TokenMasks&) = delete;
  TokenMasks& operator=(const TokenMasks&) = delete;

  // GRAMMAR_INVALID where the grammar names a special token that the vocabulary has not.
  Status status() const;

  // [TokenTrie::words()] bits, by token id. Good until the next call. Nothing for kDead.
  std::span<const std::uint64_t> allowed(const Position& position);
  // Its state is kDead where `token` is not allowed.
  Position advance(const Position& position, TokenId token);
  // The text's own state, with every count in it.
  StateId exact(const Position& position);
  // StateSpace::start_over() with that state, and its position again.
  void start_over(Position& kept);
  // The bytes that have to come next, where only one text can: as far as that goes, but little more than
  // `most`. `whole`: nothing comes behind them.
  struct ForcedText {
    std::string bytes;
    bool whole = false;
  };
  ForcedText forced_text(const Position& position, std::size_t most);

  std::size_t bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace emberline::grammar
