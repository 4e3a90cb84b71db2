// Which tokens of a vocabulary may come next.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "grammar/automaton/position.h"
#include "grammar/automaton/position_steps.h"
#include "grammar/automaton/state_space.h"
#include "grammar/automaton/token_trie.h"
#include "grammar/automaton/token_walk.h"

namespace emberline::grammar {

// A token is allowed where its bytes lead on to a state that is not kDead, or where it is of a token set that
// is read next. End tokens never are: see StateSpace::may_end.
class TokenMasks {
 public:
  // `space` outlives this, and has made no states yet.
  TokenMasks(StateSpace& space, std::shared_ptr<const TokenTrie> trie);
  TokenMasks(const TokenMasks&) = delete;
  TokenMasks& operator=(const TokenMasks&) = delete;

  // GRAMMAR_INVALID where the grammar names a special token that the vocabulary has not.
  const Status& status() const { return status_; }

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
  void resolve_sets();
  std::span<std::uint64_t> free_mask(StateId state);
  StateId step(StateId state, TokenId token);
  std::span<std::uint64_t> mask_at(std::size_t slot) {
    return std::span(masks_).subspan(slot * trie_->words(), trie_->words());
  }

  StateSpace& space_;
  std::shared_ptr<const TokenTrie> trie_;
  TokenWalk walk_;
  PositionSteps steps_;
  Status status_;
  std::vector<std::uint64_t> empty_;
  std::vector<std::vector<std::uint64_t>> sets_;  // [token sets], bits by token id

  // Masks of states, as many as there is room for: the next to go is the first that was not asked for since
  // the hand last passed it.
  static constexpr std::size_t kMostMaskBytes = 12u << 20;
  struct Slot {
    StateId state = kDead;
    bool used = false;
  };
  std::vector<std::uint64_t> masks_;  // [slots, words]
  std::vector<Slot> slots_;
  std::unordered_map<StateId, std::uint32_t> slot_of_;
  std::size_t hand_ = 0;
  std::uint64_t epoch_;
};

}  // namespace emberline::grammar
