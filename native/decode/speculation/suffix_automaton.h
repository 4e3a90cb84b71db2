// Every substring of a token sequence that grows at its end, in linear space.
//
// Source: Blumer, Blumer, Haussler, Ehrenfeucht, Chen and Seiferas, "The smallest automaton recognizing the
// subwords of a text" (1985), built online. A state stands for substrings with the same end positions; its
// link leads to the longest suffix of them that occurs elsewhere, too. So the longest suffix of the sequence
// that occurred before is known after each token, without a search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace emberline {

class SuffixAutomaton {
 public:
  // An earlier occurrence of the last `length` tokens; 0: none.
  struct Match {
    std::uint32_t length = 0;
    std::uint32_t end = 0;  // position behind it in sequence(): that of the token that followed
  };

  SuffixAutomaton() { clear(); }

  void clear();
  // Room for `tokens` tokens.
  void reserve(std::size_t tokens);
  // Appends a token: time O(1) on average.
  void extend(TokenId token);

  std::span<const TokenId> sequence() const { return sequence_; }

  // The longest suffix of the sequence that occurred before; of several occurrences a recent one.
  Match repeated_suffix() const { return match_; }

  // A token, and how often it stands behind a substring.
  struct Continuation {
    TokenId token = 0;
    std::uint32_t count = 0;
  };

  // Counts how often each substring occurs. For Cursor::continuations; to be called again after extend().
  void count_occurrences();

  // Follows another sequence: the longest suffix of it that occurs here. Invalid after the automaton changed.
  class Cursor {
   public:
    explicit Cursor(const SuffixAutomaton& automaton) : automaton_(&automaton) {}
    void advance(TokenId token);
    Match match() const { return {length_, automaton_->states_[state_].latest_end}; }
    // Appends what follows match() here, each token once, in no order; the counts are those of
    // count_occurrences().
    void continuations(std::vector<Continuation>& out) const;

   private:
    const SuffixAutomaton* automaton_;
    std::uint32_t state_ = 0, length_ = 0;
  };

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  struct State {
    std::uint32_t length = 0;      // of its longest substring
    std::uint32_t link = kNone;    // none: the root
    std::uint32_t latest_end = 0;  // behind an occurrence: the last that was noticed
    std::uint32_t first_edge = kNone;
    std::uint32_t occurrences = 0;  // of each of its substrings; as of count_occurrences()
    bool prefix = false;            // its longest substring is the sequence as it was at some time
  };
  struct Edge {
    std::uint32_t from, to;
    TokenId token;
    std::uint32_t next;  // of the same state
  };

  std::uint32_t add_state(std::uint32_t length, std::uint32_t link);
  std::uint32_t find_edge(std::uint32_t from, TokenId token) const;  // its index; kNone
  void add_edge(std::uint32_t from, TokenId token, std::uint32_t to);
  void index_edge(std::uint32_t edge);
  std::uint32_t split(std::uint32_t parent, std::uint32_t state, TokenId token);
  void notice(std::uint32_t state, std::uint32_t end);

  std::vector<TokenId> sequence_;
  std::vector<State> states_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> table_;  // edges by (from, token): open addressing, a power of two of slots
  std::uint32_t last_ = 0;            // the state of the whole sequence
  Match match_;
};

}  // namespace emberline
