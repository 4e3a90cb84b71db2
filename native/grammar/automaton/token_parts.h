// What tokens do inside one terminal or one key, whatever stands around it: found out once, and put together
// to masks from there on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/automaton/machine.h"
#include "grammar/automaton/token_trie.h"

namespace emberline::grammar {

inline constexpr std::uint32_t kRoot = kNone;  // of a trie: in front of all its nodes

// Of the tokens below one node of a trie, as one automaton reads them from one of its states.
struct TokenPart {
  const ByteTrie* trie = nullptr;  // that was read
  bool plain = false;              // all plain tokens are inside; `trie` has the others
  // Tokens that end inside, with the characters that begin in them and that have to begin behind them:
  // ascending where characters are counted. Where there are many and nothing is counted, bits by token id.
  std::vector<std::pair<std::uint32_t, TokenId>> inside;
  std::vector<std::uint64_t> inside_bits;
  // Where a text has ended and the token goes on, with `byte`, to `node` of TokenTrie::all(). Ascending by
  // label and byte.
  struct Exit {
    std::uint32_t label = 0, node = 0, characters = 0;
    unsigned char byte = 0;
  };
  std::vector<Exit> exits;

  std::size_t bytes() const {
    return sizeof(*this) + inside.capacity() * sizeof(inside[0]) + inside_bits.capacity() * 8 +
           exits.capacity() * sizeof(Exit);
  }
};

// Bounded: forgets all that it has where it grows too large.
class TokenParts {
 public:
  TokenParts(StateSpace::Machine& machine, std::shared_ptr<const TokenTrie> trie);

  // Good until the next call of trim(). `below`: a node of TokenTrie::all(), or kRoot. With `plain`, plain
  // tokens are not looked at where all of them are inside, and so their exits are not there: see
  // may_end_in_plain().
  const TokenPart& of_terminal(std::uint32_t terminal, std::uint32_t state, std::uint32_t below, bool plain);
  // Whether a text may end in the middle of a plain token.
  bool may_end_in_plain(std::uint32_t terminal);
  // Of the keys that an object does not tell apart.
  const TokenPart& of_other_keys(std::uint32_t object, std::uint32_t state, std::uint32_t below);
  // True where everything was forgotten.
  bool trim();
  std::size_t bytes() const { return bytes_; }

 private:
  struct Key {
    std::uint32_t rule, state, below;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      const std::uint32_t words[3]{key.rule, key.state, key.below};
      return static_cast<std::size_t>(hash_words(words, 3));
    }
  };
  static constexpr std::size_t kMostBytes = 12u << 20;
  static constexpr std::uint32_t kKeys = 1u << 31;   // a Key's rule: an object
  static constexpr std::uint32_t kWhole = 1u << 30;  // a Key's rule: plain tokens are looked at

  template <typename Reader>
  void read(const Reader& reader, std::uint32_t state, std::uint32_t below, TokenPart& part);
  const std::vector<std::uint8_t>& free_states_of(std::uint32_t terminal);
  const TokenPart& keep(const Key& key, std::unique_ptr<TokenPart> part);

  StateSpace::Machine& machine_;
  std::shared_ptr<const TokenTrie> trie_;
  std::unordered_map<Key, std::unique_ptr<TokenPart>, Hash> parts_;
  std::unordered_map<std::uint32_t, std::vector<std::uint8_t>> free_;  // by rule: free_states()
  std::size_t bytes_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> path_;  // [longest token + 1]: state and characters
};

}  // namespace emberline::grammar
