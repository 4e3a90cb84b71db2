// Nondeterministic automata over bytes, and how they become deterministic ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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

// Builds an automaton bit by bit: states, edges between them, and fragments with one way in and one way out,
// each of which is used once (what is repeated is built again). Once it has too many states or edges nothing
// is added any more, and determinised() says so.
class Nfa {
 public:
  using State = std::uint32_t;
  struct Fragment {
    State in = 0, out = 0;  // no edge leads to `in` or away from `out` within the fragment
  };

  State add_state();
  void add_epsilon(State from, State to);
  void add_bytes(State from, std::uint8_t first, std::uint8_t last, State to);
  // The UTF-8 of any code point of `set`.
  void add_code_points(State from, const CodePointSet& set, State to);
  void add_text(State from, std::string_view bytes, State to);
  // Edges that read nothing and hold under a condition: that what stands before the place is one of `befores`
  // (bit 1 << Before; a word character is one of [A-Za-z0-9_]), and that the rest of the text, from the place
  // on, is of the language of `rests` (all null: any).
  void add_assertion(State from, std::uint8_t befores, Rests rests, State to);
  void set_start(State state) { start_ = state; }
  void accept(State state, std::uint32_t label = 1) { labels_[state] = label; }
  // An accepting state from which every text is accepted that can follow: where it is reached nothing else
  // matters.
  void set_absorbing(State state) { absorbing_ = state; }

  Fragment empty();
  Fragment text(std::string_view bytes);
  Fragment code_points(const CodePointSet& set);
  Fragment concatenated(std::span<const Fragment> parts);
  Fragment united(std::span<const Fragment> choices);
  Fragment starred(Fragment body);

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
