// The tokens of a vocabulary by their bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "grammar/automaton/byte_kinds.h"
#include "tokenizer/tokenizer.h"

namespace emberline::grammar {

// In preorder in one array, that a walk reads from front to back.
class ByteTrie {
 public:
  struct Node {
    // Of the byte and all that is below: what begins as a character beyond ASCII is one kind.
    ByteKinds kinds = 0;
    std::uint32_t end = 0;    // behind the last node below this one
    std::uint32_t first = 0;  // into tokens(): those that end here are [first, next node's first)
    std::uint16_t depth = 0;  // bytes from the root; 1 for the nodes at the top
    std::uint16_t bytes = 0;  // of the longest text that begins with this one, from here on
    unsigned char byte = 0;
  };

  // Texts come in ascending order, equal ones one behind the other.
  void add(std::string_view bytes, TokenId id);
  void finish();
  // Before finish(): the nodes from the top to the text that was added last.
  std::span<const std::uint32_t> path() const { return path_; }

  // [size() + 1]: the last one ends the lists of tokens.
  std::span<const Node> nodes() const { return nodes_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size() - 1); }
  std::span<const TokenId> tokens() const { return tokens_; }
  std::span<const TokenId> tokens_at(std::uint32_t node) const {
    return std::span(tokens_).subspan(nodes_[node].first, nodes_[node + 1].first - nodes_[node].first);
  }
  // Of all that begin with what leads to `node`.
  std::span<const TokenId> tokens_below(std::uint32_t node) const {
    return std::span(tokens_).subspan(nodes_[node].first,
                                      nodes_[nodes_[node].end].first - nodes_[node].first);
  }

 private:
  void sum_up();
  ByteKinds below(std::uint32_t node) const;
  ByteKinds of_character(std::uint32_t node, std::string& character) const;

  std::vector<Node> nodes_;
  std::vector<TokenId> tokens_;
  std::vector<std::uint32_t> path_;  // to the text that was added last
  std::string last_;
};

// Immutable, shared by all grammars of a model. Normal and user-defined tokens; empty ones are left out.
//
// Most tokens are plain: whole characters that stand for themselves in a JSON string. In the middle of one
// nearly all of them are allowed, which is then read off a set; the few others are in a trie of their own.
// Where only characters of some kinds may come, the tokens that are made of them are read off sets by kind.
class TokenTrie {
 public:
  // `vocabulary`: of the logits, which may be more than the tokenizer's.
  static Result<std::shared_ptr<const TokenTrie>> build(const Tokenizer& tokenizer, std::uint32_t vocabulary);

  std::uint32_t vocabulary() const { return vocabulary_; }
  std::uint32_t words() const { return (vocabulary_ + 63) / 64; }  // of a mask
  const ByteTrie& all() const { return all_; }
  const ByteTrie& not_plain() const { return not_plain_; }
  // The node of all() that a node of not_plain() is.
  std::uint32_t in_all(std::uint32_t node_of_not_plain) const { return in_all_[node_of_not_plain]; }
  // Bits by token id.
  std::span<const std::uint64_t> plain() const { return plain_; }
  // Those whose bytes are of `kinds`, plain ones. Bits by token id.
  std::vector<std::uint64_t> made_of(ByteKinds kinds) const;
  // Adds those of `tokens` in which at most `characters` characters begin to `mask`.
  void add_short(std::span<const std::uint64_t> tokens, std::uint32_t characters,
                 std::span<std::uint64_t> mask) const;
  // The bytes of a token of the trie; empty for any other.
  std::string_view bytes(TokenId id) const;
  // Ends generation: never allowed by a mask.
  bool ends_generation(TokenId id) const;
  // All that do. Bits by token id.
  std::span<const std::uint64_t> ends() const { return ends_; }
  // In bytes.
  std::uint32_t longest_token() const { return longest_; }
  // The special token that is written so, e.g. `<think>`.
  std::optional<TokenId> special(const std::string& name) const;

 private:
  TokenTrie() = default;
  void add_specials(const Tokenizer& tokenizer);
  void sort_by_length();
  void sort_by_kinds();

  static constexpr std::uint32_t kMostCharacters = 32;  // told apart by sets

  std::uint32_t vocabulary_ = 0;
  std::uint32_t longest_ = 0;
  ByteTrie all_, not_plain_;
  std::vector<std::uint32_t> in_all_;  // [not_plain_.size()]
  std::vector<std::uint64_t> plain_;   // [words]
  // Tokens of plain kinds alone, [words], and those of them that have a certain kind, [plain kinds, words].
  std::vector<std::uint64_t> plain_kinds_, with_kind_;
  // [kMostCharacters + 1, words]: tokens in which at most so many characters begin.
  std::vector<std::uint64_t> short_sets_;
  std::vector<std::pair<std::uint32_t, TokenId>> long_;  // those with more, with how many, ascending
  std::string arena_;
  std::vector<std::uint32_t> offsets_;  // [vocabulary + 1] into arena_
  std::vector<std::uint64_t> ends_;     // [words]
  std::unordered_map<std::string, TokenId> specials_;
};

}  // namespace emberline::grammar
