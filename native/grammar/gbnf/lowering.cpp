#include "grammar/gbnf/lowering.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/gbnf/analysis.h"
#include "grammar/gbnf/left_cycle.h"
#include "grammar/gbnf/linear_recursion.h"
#include "grammar/gbnf/regular_part.h"
#include "grammar/program_builder.h"
#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/nfa.h"

namespace emberline::grammar::gbnf {

namespace {

// An automaton that became too large leaves so much less for those behind it, so that a grammar full of them
// does not take long. From expressions of the least size none becomes too large.
constexpr std::uint32_t kShrunkBy = 4, kLeastAutomaton = 8;
// Work for one automaton (nfa.h), and for all of a grammar, but for those of the least size.
constexpr std::size_t kMostWorkAtOnce = kMostWork / 4, kMostWorkInAll = kMostWork;
constexpr std::size_t kMostTextBytes = 1024;  // of one automaton

class Lowering {
 public:
  explicit Lowering(Syntax syntax)
      : syntax_(std::move(syntax)), analysis_(syntax_), non_empty_(syntax_, analysis_) {}

  Result<Program> run() {
    const NodeId root = syntax_.rule(syntax_.root);
    const std::size_t start = block_of(root);
    for (std::size_t block = 0; block < blocks_.size() && !stopped(); ++block) emit_block(block);
    if (syntax_.too_large()) {
      return Status(
          ErrorCode::kGrammarTooLarge,
          "The grammar has more parts, once its left recursion is rewritten, than the engine allows; "
          "simplify it.");
    }
    if (!error_.ok()) return error_;
    if (!builder_.full()) {
      for (const Block& block : blocks_) {
        for (const Pc call : block.calls) builder_.patch(call, block.pc);
        for (const std::uint32_t repeat : block.repeats) builder_.repeat(repeat).body = block.pc;
      }
    }
    return std::move(builder_).finish(blocks_[start].pc, {});
  }

 private:
  // Code that ends with a return: an expression's, or that of a rule of a left cycle but for the empty text.
  struct Block {
    Block(NodeId expression, RuleId rule) : node(expression), cyclic(rule) {}
    NodeId node;    // kNone: it is
    RuleId cyclic;  // this rule's
    Pc pc = 0;
    std::vector<Pc> calls;               // where it is called, or jumped to
    std::vector<std::uint32_t> repeats;  // whose body it is
  };

  bool stopped() const { return builder_.full() || syntax_.too_large() || !error_.ok(); }
  // Whether there is an automaton of `id`, or one may be tried. Parts that were joined to one have more
  // states than they, and what is allowed may have shrunk since.
  bool regular(NodeId id) {
    const auto found = terminals_.find(id);
    return found != terminals_.end() ? found->second.has_value() : analysis_.states(id) <= most_states_;
  }

  std::size_t block_of(NodeId node) {
    const auto [found, is_new] = blocks_of_nodes_.emplace(node, blocks_.size());
    if (is_new) blocks_.emplace_back(node, kNone);
    return found->second;
  }
  std::size_t block_of_cyclic(RuleId rule) {
    const auto [found, is_new] = blocks_of_rules_.emplace(rule, blocks_.size());
    if (is_new) blocks_.emplace_back(kNone, rule);
    return found->second;
  }

  void emit_block(std::size_t block) {
    blocks_[block].pc = builder_.here();
    if (blocks_[block].cyclic != kNone) {
      emit_cycle(blocks_[block].cyclic);
    } else {
      emit(blocks_[block].node, true);
    }
  }

  // An automaton of `id`; none where that becomes too large.
  std::optional<std::uint32_t> terminal(NodeId id) {
    const Node& node = syntax_.node(id);
    const NodeId key = node.kind == Kind::kRule && !node.not_empty ? syntax_.rules[node.at].body : id;
    const auto found = terminals_.find(key);
    if (found != terminals_.end()) return found->second;
    const bool small = analysis_.states(id) <= kLeastAutomaton;
    const std::size_t work = small ? kMostWork : std::min(work_left_, kMostWorkAtOnce);
    std::size_t left = work;
    Result<Dfa> dfa = regular_part(syntax_, key, left);
    // Where it failed, nobody says how soon.
    if (!small) work_left_ -= dfa.ok() ? work - std::min(left, work) : work;
    std::optional<std::uint32_t> index;
    if (dfa.ok()) {
      index = builder_.add_terminal({.dfa = std::move(dfa).value()});
    } else {
      most_states_ = std::max(most_states_ / kShrunkBy, kLeastAutomaton);
      terminals_.emplace(id, index);
    }
    if (work_left_ == 0) most_states_ = kLeastAutomaton;
    terminals_.emplace(key, index);
    return index;
  }

  void end(bool last) {
    if (last) builder_.emit(Op::kReturn);
  }

  // With `last`, nothing follows in its block: it returns.
  void emit(NodeId id, bool last) {
    if (stopped()) return;
    if (regular(id)) {
      if (id == syntax_.empty()) return end(last);
      if (const std::optional<std::uint32_t> index = terminal(id)) {
        builder_.emit(Op::kTerminal, *index);
        return end(last);
      }
    }
    const Node node = syntax_.node(id);
    switch (node.kind) {
      case Kind::kToken: {
        const auto [found, is_new] = token_sets_.emplace(node.at, 0);
        if (is_new) found->second = builder_.add_token_set(syntax_.token_set(node));
        builder_.emit(Op::kTokens, found->second);
        return end(last);
      }
      case Kind::kRule: return emit_rule(node, last);
      case Kind::kRepeat: return emit_repeat(node, last);
      case Kind::kSequence: return emit_sequence(node, last);
      case Kind::kChoice: return emit_choice(node, last);
      case Kind::kText: return emit_text(syntax_.text(node), last);
      case Kind::kCharacters: return emit_characters(id, last);
      case Kind::kNothing:
      case Kind::kEmpty: return end(last);
    }
  }

  // Of any length.
  void emit_text(std::string_view text, bool last) {
    for (; !text.empty() && !stopped(); text.remove_prefix(std::min(text.size(), kMostTextBytes))) {
      builder_.emit(Op::kTerminal, builder_.add_terminal({.dfa = literal(text.substr(0, kMostTextBytes))}));
    }
    end(last);
  }

  // Of any number of ranges.
  void emit_characters(NodeId id, bool last) {
    std::size_t work_left = kMostWork;
    Result<Dfa> dfa = regular_part(syntax_, id, work_left);
    if (dfa.ok()) {
      builder_.emit(Op::kTerminal, builder_.add_terminal({.dfa = std::move(dfa).value()}));
    } else if (error_.ok()) {
      error_ = dfa.error();
    }
    end(last);
  }

  void go_to(std::size_t block, bool last) {
    blocks_[block].calls.push_back(builder_.emit(last ? Op::kJump : Op::kCall));
  }

  void emit_rule(const Node& node, bool last) {
    const RuleId rule = node.at;
    const NodeId body = syntax_.rules[rule].body;
    if (analysis_.left_cycle(rule) == 0) {
      return go_to(block_of(node.not_empty ? non_empty_(body) : body), last);
    }
    if (node.not_empty || !analysis_.rule_nullable(rule)) return go_to(block_of_cyclic(rule), last);
    const Pc fork = builder_.emit(Op::kFork);
    go_to(block_of_cyclic(rule), last);
    builder_.patch(fork, builder_.here());
    end(last);
  }

  void emit_sequence(const Node& node, bool last) {
    const std::vector<NodeId> parts(syntax_.parts(node).begin(), syntax_.parts(node).end());
    for (std::size_t at = 0; at < parts.size() && !stopped();) {
      std::size_t behind = at + 1;
      NodeId part = parts[at];
      std::uint64_t states = analysis_.states(part);
      if (regular(part)) {
        while (behind < parts.size() && regular(parts[behind]) &&
               (states += analysis_.states(parts[behind])) < most_states_)
          ++behind;
        // Where they are too large together, it is one after the other.
        if (behind - at > 1) {
          const NodeId joined = syntax_.sequence(std::span(parts).subspan(at, behind - at));
          if (stopped()) return;
          if (terminal(joined)) {
            part = joined;
          } else {
            behind = at + 1;
          }
        }
      }
      emit(part, last && behind == parts.size());
      at = behind;
    }
  }

  void emit_choice(const Node& node, bool last) {
    std::vector<NodeId> choices, together;
    std::uint64_t states = 0;
    for (const NodeId part : syntax_.parts(node)) {
      const bool is_regular = regular(part);
      if (is_regular) states += analysis_.states(part);
      if (is_regular && states < most_states_) {
        together.push_back(part);
      } else {
        choices.push_back(part);
      }
    }
    if (together.size() > 1) {
      const NodeId joined = syntax_.choice(together);
      if (stopped()) return;
      if (terminal(joined)) together.assign(1, joined);
    }
    choices.insert(choices.begin(), together.begin(), together.end());
    std::vector<Pc> ends;
    for (std::size_t at = 0; at < choices.size() && !stopped(); ++at) {
      const bool more = at + 1 < choices.size();
      const Pc fork = more ? builder_.emit(Op::kFork) : 0;
      emit(choices[at], last);
      if (!more) break;
      if (!last) ends.push_back(builder_.emit(Op::kJump));
      builder_.patch(fork, builder_.here());
    }
    for (const Pc jump : ends) builder_.patch(jump, builder_.here());
  }

  void emit_repeat(const Node& node, bool last) {
    const bool nullable = analysis_.nullable(node.at);
    const NodeId body = non_empty_(node.at);
    const std::uint32_t least = nullable ? 0 : node.least;
    const bool unbounded = node.most == kUnbounded;
    if (node.most == 1) {
      const Pc fork = builder_.emit(Op::kFork);
      emit(body, last);
      builder_.patch(fork, builder_.here());
    } else if (unbounded && least == 0) {
      const Pc loop = builder_.emit(Op::kFork);
      emit(body, false);
      builder_.emit(Op::kJump, loop);
      builder_.patch(loop, builder_.here());
    } else if (unbounded && least == 1) {
      const Pc loop = builder_.here();
      emit(body, false);
      builder_.emit(Op::kFork, loop);
    } else {
      const std::uint32_t index = builder_.add_repeat({.least = least, .most = node.most});
      blocks_[block_of(body)].repeats.push_back(index);
      builder_.emit(Op::kRepeat, index);
    }
    end(last);
  }

  const LeftCycle& cycle_of(RuleId rule) {
    const std::uint32_t cycle = analysis_.left_cycle(rule);
    const auto found = cycles_.find(cycle);
    if (found != cycles_.end()) return found->second;
    return cycles_.emplace(cycle, left_cycle(syntax_, analysis_, non_empty_, rule)).first->second;
  }

  // The automaton of `rule`'s left cycle, to where it ends at `rule`.
  void emit_cycle(RuleId rule) {
    const LeftCycle& cycle = cycle_of(rule);
    if (stopped()) return;
    const std::uint32_t target = cycle.state_of.at(rule);
    const std::vector<bool> leads = leading_to(cycle, target);
    std::vector<Pc> places(cycle.states.size(), 0);
    std::vector<std::pair<Pc, std::uint32_t>> jumps;  // to states
    const auto emit_ways = [&](const std::vector<LeftCycle::Way>& ways) {
      for (std::size_t way = 0; way < ways.size() && !stopped(); ++way) {
        const bool more = way + 1 < ways.size();
        const Pc fork = more ? builder_.emit(Op::kFork) : 0;
        emit(ways[way].text, false);
        if (ways[way].state == kNone) {
          builder_.emit(Op::kReturn);
        } else {
          jumps.emplace_back(builder_.emit(Op::kJump), ways[way].state);
        }
        if (more) builder_.patch(fork, builder_.here());
      }
    };
    std::vector<LeftCycle::Way> ways;
    for (std::uint32_t state = 0; state < cycle.states.size(); ++state) {
      const NodeId rest = cycle.states[state].rest;
      if (leads[state] && rest != syntax_.nothing()) ways.push_back({rest, state});
    }
    emit_ways(ways);
    for (std::uint32_t state = 0; state < cycle.states.size() && !stopped(); ++state) {
      if (!leads[state]) continue;
      ways.clear();
      for (const LeftCycle::Way& way : cycle.states[state].ways) {
        if (leads[way.state]) ways.push_back(way);
      }
      if (state == target) ways.push_back({syntax_.empty(), kNone});
      places[state] = builder_.here();
      emit_ways(ways);
    }
    for (const auto& [jump, state] : jumps) builder_.patch(jump, places[state]);
  }

  Syntax syntax_;
  Analysis analysis_;
  NonEmpty non_empty_;
  ProgramBuilder builder_;
  std::uint32_t most_states_ = Analysis::kMostStates;
  std::size_t work_left_ = kMostWorkInAll;
  std::vector<Block> blocks_;
  std::unordered_map<NodeId, std::size_t> blocks_of_nodes_;
  std::unordered_map<RuleId, std::size_t> blocks_of_rules_;
  std::unordered_map<NodeId, std::optional<std::uint32_t>> terminals_;  // none: too large for one
  std::unordered_map<std::uint32_t, std::uint32_t> token_sets_;
  std::unordered_map<std::uint32_t, LeftCycle> cycles_;
  Status error_;
};

}  // namespace

Result<Program> lowered(Syntax syntax) {
  if (!prune(syntax)) {
    return Status(ErrorCode::kGrammarInvalid,
                  "The rule \"root\" of the grammar has no text that ends; give its recursion a way out.");
  }
  make_loops(syntax);
  return Lowering(std::move(syntax)).run();
}

}  // namespace emberline::grammar::gbnf
