// How left recursion is taken out of a grammar, direct or by way of other rules.
//
// Rules whose texts begin with one another's are, seen from their first part, a left-linear system: each is
//   A = rest | B tail | C tail …
// where no `rest` begins with a rule of the cycle. That is a finite automaton whose states are the rules: a
// text of A is a `rest` of some rule, and then `tail` after `tail` along the edges from rule to rule until A
// is reached. Nothing is substituted into anything, so the program is no larger than the automaton.
//
// Rules of a cycle are taken without the empty text, so that a part that may be empty hides none of them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/gbnf/analysis.h"
#include "grammar/gbnf/syntax.h"

namespace emberline::grammar::gbnf {

// Expressions without the empty text.
class NonEmpty {
 public:
  // Both outlive this. Expressions are added to `syntax`.
  NonEmpty(Syntax& syntax, Analysis& analysis) : syntax_(syntax), analysis_(analysis) {}
  NodeId operator()(NodeId id);

 private:
  NodeId made(const Node& node);

  Syntax& syntax_;
  Analysis& analysis_;
  std::unordered_map<NodeId, NodeId> known_;
};

// The automaton. Rules that lead to one another without a text are one state, so that nothing goes round
// without reading.
struct LeftCycle {
  struct Way {
    NodeId text;  // Syntax::empty(): nothing is read
    std::uint32_t state;
  };
  struct State {
    NodeId rest = 0;                  // texts that lead here from the start
    std::vector<Way> ways;            // onward, one for each text and state
    std::vector<std::uint32_t> from;  // whence ways lead here
  };
  std::vector<State> states;
  std::unordered_map<RuleId, std::uint32_t> state_of;
};

// Of the cycle that `rule` is in.
LeftCycle left_cycle(Syntax& syntax, Analysis& analysis, NonEmpty& non_empty, RuleId rule);

// Which states lead to `target`.
std::vector<bool> leading_to(const LeftCycle& cycle, std::uint32_t target);

}  // namespace emberline::grammar::gbnf
