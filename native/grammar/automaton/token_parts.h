// What tokens do inside one terminal or one key, whatever stands around it: found out once, and put together
// to masks from there on.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/automaton/kind_closure.h"
#include "grammar/automaton/state_space.h"
#include "grammar/automaton/token_trie.h"

namespace emberline::grammar {

inline constexpr std::uint32_t kRoot = kNone;  // of a trie: in front of all its nodes

// Of the tokens below one node of a trie, as one automaton reads them from one of its states.
struct TokenPart {
  const ByteTrie* trie = nullptr;  // that was read
  bool plain = false;              // all plain tokens are inside; `trie` has the others
  std::uint32_t plain_rest = 0;    // where characters are counted: those that have to begin behind them
  // Tokens that end inside, with the characters that begin in them and that have to begin behind them:
  // ascending where characters are counted. Where there are many and nothing is counted, bits by token id.
  std::vector<std::pair<std::uint32_t, TokenId>> inside;
  std::vector<std::uint64_t> inside_bits;
  // Where characters are counted: more tokens that end inside, by how many characters more have to begin in
  // and behind a token than begin in it by itself: see TokenTrie::add_short(). Bits by token id.
  struct Group {
    std::int64_t more = 0;
    std::vector<std::uint64_t> bits;
  };
  std::vector<Group> groups;
  // Where a text has ended and the token goes on, with `byte`, to `node` of TokenTrie::all(). Ascending by
  // label and byte.
  struct Exit {
    std::uint32_t label = 0, node = 0, characters = 0;
    unsigned char byte = 0;
  };
  std::vector<Exit> exits;

  // Tokens that end inside and need at most `most` characters, but for those of groups.
  template <typename Visit>
  void each_inside(std::uint32_t most, const Visit& visit) const {
    for (const auto& [need, id] : inside) {
      if (need > most) break;
      visit(id);
    }
    for (std::size_t word = 0; word < inside_bits.size(); ++word) {
      for (std::uint64_t bits = inside_bits[word]; bits != 0; bits &= bits - 1)
        visit(static_cast<TokenId>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
    }
  }
  // Of exits, each once.
  template <typename Visit>
  void each_label(const Visit& visit) const {
    for (std::size_t exit = 0; exit < exits.size(); ++exit)
      if (exit == 0 || exits[exit].label != exits[exit - 1].label) visit(exits[exit].label);
  }

  std::size_t bytes() const {
    std::size_t bytes = sizeof(*this) + inside.capacity() * sizeof(inside[0]) + inside_bits.capacity() * 8 +
                        exits.capacity() * sizeof(Exit);
    for (const Group& group : groups) bytes += sizeof(group) + group.bits.capacity() * 8;
    return bytes;
  }
};

// Bounded: forgets all that it has where it grows too large.
class TokenParts {
 public:
  TokenParts(StateSpace& space, std::shared_ptr<const TokenTrie> trie);

  // quoted: nothing that is plain comes behind the texts, and exits into it are left out. far: no token has
  // too many characters, and those inside are not counted.
  struct Mode {
    bool quoted = false, far = false;
  };
  // Good until the next call of trim(). `below`: a node of TokenTrie::all(), or kRoot.
  const TokenPart& of_terminal(std::uint32_t terminal, std::uint32_t state, std::uint32_t below, Mode mode);
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
      return static_cast<std::size_t>(hash_words<std::uint32_t>(words));
    }
  };
  static constexpr std::size_t kMostBytes = 12u << 20;
  static constexpr std::uint32_t kKeys = 1u << 31;    // a Key's rule: an object
  static constexpr std::uint32_t kQuoted = 1u << 30;  // a Key's rule: exits into plain bytes are left out
  static constexpr std::uint32_t kFar = 1u << 29;     // a Key's rule: characters inside are not counted

  struct Place {
    std::uint32_t state = 0;
    std::uint32_t characters = 0;  // that have begun
    std::uint32_t leads = 0;       // bytes so far that begin a character in UTF-8
    bool covered = false;          // tokens that go on as they began are in the part already
  };

  template <typename Reader>
  void read(const Reader& reader, std::uint32_t rule, std::uint32_t state, std::uint32_t below, bool quoted,
            TokenPart& part);
  std::vector<std::uint64_t>* bits_of(std::int64_t more, bool counted, TokenPart& part) const;
  void take(std::span<const TokenId> tokens, std::int64_t more, bool counted, TokenPart& part) const;
  KindClosures& closures_of(std::uint32_t rule, const std::function<ClosureSubject()>& subject);
  template <typename Reader>
  const TokenPart& part(const Reader& reader, std::uint32_t rule, std::uint32_t state, std::uint32_t below,
                        bool quoted);

  StateSpace& space_;
  std::shared_ptr<const TokenTrie> trie_;
  std::unordered_map<Key, std::unique_ptr<TokenPart>, Hash> parts_;
  std::unordered_map<std::uint32_t, KindClosures> closures_;  // by rule
  std::size_t bytes_ = 0;
  std::vector<Place> path_;  // [longest token + 1]
};

}  // namespace emberline::grammar
