// Goes through states and tokens at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/automaton/state_space.h"
#include "grammar/automaton/token_parts.h"
#include "grammar/automaton/token_trie.h"

namespace emberline::grammar {

class TokenWalk {
 public:
  TokenWalk(StateSpace& space, const std::shared_ptr<const TokenTrie>& trie);

  // Adds the tokens that `state` allows by their bytes. `mask`: [words].
  void add(StateId state, std::span<std::uint64_t> mask);
  // The same, byte by byte.
  void add_plainly(StateId state, std::span<std::uint64_t> mask);
  // States have changed their names.
  void start_over();
  std::size_t bytes() const { return parts_.bytes() + behind_bytes_; }

 private:
  // Where to go on: in `state`, below `node` of TokenTrie::all(). `characters`: before the part was left.
  // `doubtful`: a key that came on the way is not in it, so that what depends on it is to be checked.
  struct Place {
    StateId state;
    std::uint32_t node;
    std::uint32_t characters;
    bool doubtful;
  };
  // Tokens, with the characters before they left a part.
  struct Behind {
    std::vector<std::pair<std::uint32_t, TokenId>> sure, doubtful;
  };
  struct BehindKey {
    const TokenPart* part;
    std::uint32_t label;
    StateId state;
    bool operator==(const BehindKey&) const = default;
  };
  struct Hash {
    std::size_t operator()(const BehindKey& key) const {
      const auto part = reinterpret_cast<std::uintptr_t>(key.part);
      const std::uint32_t words[4]{static_cast<std::uint32_t>(part),
                                   static_cast<std::uint32_t>(static_cast<std::uint64_t>(part) >> 32),
                                   key.label, key.state};
      return static_cast<std::size_t>(hash_words<std::uint32_t>(words));
    }
  };

  bool allows(StateId state, TokenId id) { return space_.step(state, trie_->bytes(id)) != kDead; }
  bool goes_on_plain(StateId state) const;
  // `node`: as it is, for what is in doubt; `leaf`: what it is taken for.
  void add_terminal(NodeId node, NodeId leaf, std::span<std::uint64_t> mask);
  void add_key(NodeId node, NodeId taken_for, std::span<std::uint64_t> mask);
  // What `add` adds, without those of `checked` that `node` does not allow.
  template <typename Add>
  void add_checked(NodeId node, const std::vector<TokenId>& checked, std::span<std::uint64_t> mask,
                   const Add& add);
  const Behind& behind(const TokenPart& part, std::uint32_t label, StateId state, bool doubtful);
  // What `find` finds, which is asked where that is not known.
  template <typename Find>
  const Behind& remembered(const BehindKey& key, const Find& find);
  // `node`: as it is; behind: as it was taken for.
  void check(NodeId node, const Behind& behind, std::uint32_t least, std::uint32_t most,
             std::span<std::uint64_t> mask);

  // All of `tokens` are allowed another way; false where they are too many to look at.
  bool allowed_already(std::span<const TokenId> tokens) const;
  bool is_allowed(TokenId id) const;
  void run(Behind& out);  // goes on from every place of work_
  void go_on(const Place& place, Behind& out);
  void step_into(StateId state, std::uint32_t child, const Place& from, Behind& out);
  bool leave_terminal(NodeId node, const Place& place, const std::vector<TokenId>& checked, Behind& out);
  bool leave_key(NodeId node, const Place& place, const std::vector<TokenId>& items, Behind& out);
  void leave_part(const TokenPart& part, std::uint32_t label, StateId state, std::uint32_t least,
                  std::uint32_t most, const Place& from, Behind& out);
  // Tokens below `node` of the trie that may spell a key that came before. Ascending.
  std::vector<TokenId> suspect_keys(NodeId key, std::uint32_t node) const;
  std::vector<TokenId> suspects(const std::vector<std::string>& texts, std::uint32_t node) const;
  std::vector<TokenId> suspects(const std::vector<ValueCursor>& values, std::uint32_t node) const;
  std::vector<TokenId> suspect_items(NodeId leaf, std::uint32_t node);
  bool add_item(NodeId node, std::span<std::uint64_t> mask);
  void add_items(const std::vector<NodeId>& nodes, std::span<std::uint64_t> mask);
  bool is_loosened(StateId state) const;
  void read_known_keys(NodeId node, std::uint32_t below, const Place& from, Behind& out);
  // Whether what other keys do in tokens is found out once for all: not where they may run out.
  bool reads_others_once(NodeId key);

  StateSpace& space_;
  std::shared_ptr<const TokenTrie> trie_;
  TokenParts parts_;
  std::unordered_map<BehindKey, Behind, Hash> behind_;
  std::size_t behind_bytes_ = 0;
  std::vector<StateId> path_;
  std::vector<Place> work_;
  std::size_t steps_ = 0;  // left to this mask
  // Where many ways are read at once, which allow much the same: what those before allow, and what is found
  // of one of them besides.
  std::span<const std::uint64_t> allowed_;
  Behind besides_;
};

template <typename Find>
const TokenWalk::Behind& TokenWalk::remembered(const BehindKey& key, const Find& find) {
  const auto [place, fresh] = behind_.try_emplace(key);
  Behind& found = place->second;
  if (!fresh) return found;
  find(found);
  if (steps_ == 0) {  // cut short: of no use to anybody
    static const Behind kNothing;
    behind_.erase(place);
    return kNothing;
  }
  behind_bytes_ += 128 + (found.sure.capacity() + found.doubtful.capacity()) * sizeof(found.sure[0]);
  return found;
}

}  // namespace emberline::grammar
