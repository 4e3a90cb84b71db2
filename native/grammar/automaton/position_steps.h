// Steps of whole tokens from one position to the next.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "grammar/automaton/position.h"
#include "grammar/automaton/state_space.h"
#include "grammar/automaton/token_trie.h"
#include "grammar/regular/interned.h"

namespace emberline::grammar {

// What a token does to far counts does not depend on how far they are: each goes, grows by so much, or begins
// anew. That is found out once for a state and a token, and remembered.
class PositionSteps {
 public:
  // `by_state`: the exact state behind a token in an exact one. `space` outlives this.
  PositionSteps(StateSpace& space, std::shared_ptr<const TokenTrie> trie,
                std::function<StateId(StateId, TokenId)> by_state);

  // Its state is kDead where `token` is not allowed. Precondition: a token of the vocabulary.
  Position step(const Position& position, TokenId token);
  std::size_t bytes() const { return steps_.capacity() * sizeof(Step) + numbers_.bytes(); }

 private:
  static constexpr std::uint8_t kNew = 0xFF;

  struct Step {
    StateId to = kDead;
    bool by_state = false;    // nothing is known that holds for all counts
    std::uint8_t counts = 0;  // far counts of `to`
    // Which far count of `from` each was, and by how much it grew; or kNew, and the room that it begins with.
    std::array<std::uint8_t, Position::kMostCounts> source{};
    std::array<std::uint32_t, Position::kMostCounts> amount{};
  };

  const Step& find(StateId from, TokenId token);
  Step found_out(StateId from, TokenId token);
  Position exactly(const Position& position, TokenId token);

  StateSpace& space_;
  std::shared_ptr<const TokenTrie> trie_;
  std::function<StateId(StateId, TokenId)> by_state_;
  Interned<std::uint32_t> numbers_;  // of states with tokens
  std::vector<Step> steps_;          // by these numbers
  std::uint64_t epoch_;
};

}  // namespace emberline::grammar
