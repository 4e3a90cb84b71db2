// Nondeterministic automata over bytes, and how they become deterministic ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "grammar/regular/code_points.h"
#include "grammar/regular/dfa.h"

namespace emberline::grammar {

// What is known of the text before the place where an automaton starts.
enum class Before : std::uint8_t { kNothing, kWordCharacter, kOtherCharacter };
inline constexpr std::size_t kBefores = 3;

// What the rest of a text has to be of, by what stands before it.
using Rests = std::array<std::shared_ptr<const Dfa>, kBefores>;

// Builds an automaton bit by bit: states and edges between them. Once it has too many of them nothing is
// added any more, and determinised() says so.
//
// What is added between `from` and `to` leads into `from` or away from `to` only where the two are one.
class Nfa {
 public:
  using State = std::uint32_t;

  State add_state();
  void add_epsilon(State from, State to);
  void add_bytes(State from, std::uint8_t first, std::uint8_t last, State to);
  // The UTF-8 of any code point of `set`.
  void add_code_points(State from, const CodePointSet& set, State to);
  void add_text(State from, std::string_view bytes, State to);
  // `parts` one behind the other: `write(part, from, to)` adds one.
  template <typename Parts, typename Write>
  void add_sequence(State from, const Parts& parts, State to, const Write& write) {
    if (parts.empty()) return add_epsilon(from, to);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const State next = i + 1 == parts.size() ? to : add_state();
      write(parts[i], from, next);
      from = next;
    }
  }
  // Between `least` and `most` times what `write(from, to)` adds; kNone for `most`: no upper bound.
  template <typename Write>
  void add_repeat(State from, std::uint32_t least, std::uint32_t most, State to, const Write& write) {
    // Without an upper bound the last of those that must be goes on repeating.
    const std::uint32_t copies = most == kNone ? std::max(least, 1u) - 1 : most;
    for (std::uint32_t copy = 0; copy < copies && !full_; ++copy) {
      if (copy >= least) add_epsilon(from, to);
      const State next = add_state();
      write(from, next);
      from = next;
    }
    if (most == kNone) {
      const State loop = add_state(), end = least == 0 ? loop : add_state();
      add_epsilon(from, loop);
      write(loop, end);
      if (end != loop) add_epsilon(end, loop);
      from = end;
    }
    add_epsilon(from, to);
  }
  // Edges that read nothing and hold under a condition: that what stands before the place is one of `befores`
  // (bit 1 << Before; a word character is one of [A-Za-z0-9_]), and that the rest of the text, from the place
  // on, is of the language of `rests` (all null: any).
  void add_assertion(State from, std::uint8_t befores, Rests rests, State to);
  void set_start(State state) { start_ = state; }
  void accept(State state, std::uint32_t label = 1) { labels_[state] = label; }
  // An accepting state from which every text is accepted that can follow: where it is reached nothing else
  // matters.
  void set_absorbing(State state) { absorbing_ = state; }

  bool full() const { return full_; }

 private:
  friend class SubsetConstruction;
  struct ByteEdge {
    State from, to;
    std::uint8_t first, last;
  };
  struct Epsilon {
    State from, to;
  };
  struct Assertion {
    State from, to;
    std::uint8_t befores;
    Rests rests;
  };

  std::vector<std::uint32_t> labels_;
  std::vector<ByteEdge> edges_;
  std::vector<Epsilon> epsilons_;
  std::vector<Assertion> assertions_;
  State start_ = 0;
  State absorbing_ = kNone;
  bool full_ = false;
};

// Trimmed and minimal. Where a text is accepted with several labels it has the smallest. GRAMMAR_TOO_LARGE.
Result<Dfa> determinised(const Nfa& nfa, Before before = Before::kNothing);

// The same where several automata share a bound: `work_left` shrinks by the edges that were looked at.
inline constexpr std::size_t kMostWork = 1u << 23;
Result<Dfa> determinised(const Nfa& nfa, Before before, std::size_t& work_left);

}  // namespace emberline::grammar
