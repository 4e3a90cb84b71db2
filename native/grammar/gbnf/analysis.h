// What is to be known of the rules of a grammar before they are compiled.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/gbnf/syntax.h"

namespace emberline::grammar::gbnf {

// Leaves out of `syntax` every alternative that no finite text comes of, as `x` in `root ::= "a" | x` with
// `x ::= "(" x`, and every part that stands for the empty text alone. False where nothing is left of `root`.
bool prune(Syntax& syntax);

// Knows the rules that `root` needs, and expressions made of them, those added later included.
class Analysis {
 public:
  // An automaton of more states than this is not made of one expression; a rule with more is not spelled out
  // in others.
  static constexpr std::uint32_t kMostStates = 4096, kMostInlined = 1024;

  // `syntax` is pruned, and outlives this.
  explicit Analysis(const Syntax& syntax);

  // Whether the empty text is one of the expression's.
  bool nullable(NodeId id);
  bool rule_nullable(RuleId rule) const { return rule_nullable_[rule]; }
  // About how many states a nondeterministic automaton of the expression has; kNone: more than kMostStates,
  // or it is not regular.
  std::uint32_t states(NodeId id) { return extent(id).states; }
  // Left recursion: which set of rules whose texts may begin with one another's `rule` is in; 0: none.
  std::uint32_t left_cycle(RuleId rule) const { return cycle_of_[rule]; }
  const std::vector<RuleId>& rules_of_cycle(std::uint32_t cycle) const { return cycles_[cycle]; }

 private:
  struct Extent {
    std::uint32_t states = kNone;
    std::uint32_t depth = 0;  // of expressions and the rules in them
  };
  enum class Known : std::uint8_t { kNot, kNo, kYes };

  Extent extent(NodeId id);
  Extent measured(const Node& node);
  void find_left_cycles(const std::vector<bool>& used);

  const Syntax& syntax_;
  std::vector<bool> rule_nullable_;
  std::vector<Extent> rule_extents_;  // of recursive rules, and those too large: the default
  std::vector<Known> nullable_;       // [node]
  std::vector<bool> measured_;        // [node]
  std::vector<Extent> extents_;       // [node]
  std::vector<std::vector<RuleId>> cycles_ = {{}};
  std::vector<std::uint32_t> cycle_of_;  // [rule]
};

}  // namespace emberline::grammar::gbnf
