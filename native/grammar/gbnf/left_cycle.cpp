#include "grammar/gbnf/left_cycle.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "grammar/gbnf/components.h"

namespace emberline::grammar::gbnf {

namespace {

std::uint32_t one_less(std::uint32_t most) {
  return most == kUnbounded ? kUnbounded : most - 1;
}

// `parts` from the one at `begin` on, and `behind`.
NodeId rest_of(Syntax& syntax, const std::vector<NodeId>& parts, std::size_t begin, NodeId behind) {
  std::vector<NodeId> rest(parts.begin() + static_cast<std::ptrdiff_t>(begin), parts.end());
  rest.push_back(behind);
  return syntax.sequence(rest);
}

// The texts of a rule of a cycle, but for the empty one.
struct LeftCorner {
  std::vector<NodeId> rests;
  std::vector<std::pair<RuleId, NodeId>> tails;  // what follows a rule of the cycle
};

class Splitting {
 public:
  Splitting(Syntax& syntax, Analysis& analysis, NonEmpty& non_empty, RuleId rule)
      : syntax_(syntax), analysis_(analysis), non_empty_(non_empty), cycle_(analysis.left_cycle(rule)) {}

  LeftCorner run(RuleId rule) {
    corner_ = {};
    split(syntax_.rules[rule].body, syntax_.empty());
    return std::move(corner_);
  }

 private:
  bool in_cycle(RuleId rule) const { return analysis_.left_cycle(rule) == cycle_; }

  // Whether texts of `id` may begin with those of a rule of the cycle.
  bool begins_with_cycle(NodeId id) {
    const Node& node = syntax_.node(id);
    switch (node.kind) {
      case Kind::kRule: return in_cycle(node.at);
      case Kind::kRepeat: return begins_with_cycle(node.at);
      case Kind::kChoice: {
        const auto parts = syntax_.parts(node);
        return std::any_of(parts.begin(), parts.end(),
                           [this](NodeId part) { return begins_with_cycle(part); });
      }
      case Kind::kSequence:
        for (const NodeId part : syntax_.parts(node)) {
          if (begins_with_cycle(part)) return true;
          if (!analysis_.nullable(part)) return false;
        }
        return false;
      default: return false;
    }
  }

  // Texts of `id` that are not empty, with `behind` behind them.
  void split(NodeId id, NodeId behind) {
    if (!begins_with_cycle(id)) {
      corner_.rests.push_back(syntax_.sequence(std::vector{non_empty_(id), behind}));
      return;
    }
    const Node node = syntax_.node(id);
    if (node.kind == Kind::kRule) {
      corner_.tails.emplace_back(node.at, behind);
    } else if (node.kind == Kind::kRepeat) {
      const bool nullable = analysis_.nullable(node.at);
      const NodeId again = nullable
                               ? syntax_.repeat(non_empty_(node.at), 0, one_less(node.most))
                               : syntax_.repeat(node.at, std::max(node.least, 1u) - 1, one_less(node.most));
      split(node.at, syntax_.sequence(std::vector{again, behind}));
    } else {
      const std::vector<NodeId> parts(syntax_.parts(node).begin(), syntax_.parts(node).end());
      for (std::size_t at = 0; at < parts.size(); ++at) {
        if (node.kind == Kind::kChoice) {
          split(parts[at], behind);
          continue;
        }
        split(parts[at], rest_of(syntax_, parts, at + 1, behind));
        if (!analysis_.nullable(parts[at])) break;
      }
    }
  }

  Syntax& syntax_;
  Analysis& analysis_;
  NonEmpty& non_empty_;
  const std::uint32_t cycle_;
  LeftCorner corner_;
};

}  // namespace

NodeId NonEmpty::operator()(NodeId id) {
  if (!analysis_.nullable(id)) return id;
  const auto found = known_.find(id);
  if (found != known_.end()) return found->second;
  const NodeId made_of = made(Node(syntax_.node(id)));
  known_.emplace(id, made_of);
  return made_of;
}

NodeId NonEmpty::made(const Node& node) {
  switch (node.kind) {
    case Kind::kRule: return syntax_.rule(node.at, true);
    case Kind::kRepeat: return syntax_.repeat((*this)(node.at), 1, node.most);
    case Kind::kChoice: {
      std::vector<NodeId> parts(syntax_.parts(node).begin(), syntax_.parts(node).end());
      for (NodeId& part : parts) part = (*this)(part);
      return syntax_.choice(parts);
    }
    case Kind::kSequence: {
      // By the first part that is not empty.
      const std::vector<NodeId> parts(syntax_.parts(node).begin(), syntax_.parts(node).end());
      std::vector<NodeId> choices;
      for (std::size_t at = 0; at < parts.size() && !syntax_.too_large(); ++at) {
        const NodeId rest = rest_of(syntax_, parts, at + 1, syntax_.empty());
        choices.push_back(syntax_.sequence(std::vector{(*this)(parts[at]), rest}));
      }
      return syntax_.choice(choices);
    }
    default: return syntax_.nothing();
  }
}

LeftCycle left_cycle(Syntax& syntax, Analysis& analysis, NonEmpty& non_empty, RuleId rule) {
  const std::vector<RuleId>& members = analysis.rules_of_cycle(analysis.left_cycle(rule));
  const auto count = static_cast<std::uint32_t>(members.size());
  std::unordered_map<RuleId, std::uint32_t> index;
  for (std::uint32_t member = 0; member < count; ++member) index.emplace(members[member], member);
  std::vector<LeftCorner> corners;
  Edges silent(count + 1);  // edges that need no text; the last leads to all
  Splitting splitting(syntax, analysis, non_empty, rule);
  for (std::uint32_t member = 0; member < count && !syntax.too_large(); ++member) {
    silent[count].push_back(member);
    corners.push_back(splitting.run(members[member]));
    for (const auto& [from, tail] : corners.back().tails) {
      if (analysis.nullable(tail)) silent[index.at(from)].push_back(member);
    }
  }
  LeftCycle cycle;
  if (syntax.too_large()) return cycle;
  std::vector<std::vector<std::uint32_t>> joined = components(silent, count);
  joined.pop_back();  // the one that leads to all
  for (std::uint32_t state = 0; state < joined.size(); ++state) {
    for (const std::uint32_t member : joined[state]) cycle.state_of.emplace(members[member], state);
  }
  cycle.states.resize(joined.size());
  std::vector<std::map<std::uint32_t, std::vector<NodeId>>> texts(joined.size());  // [from][to]
  for (std::uint32_t state = 0; state < joined.size(); ++state) {
    std::vector<NodeId> rests;
    for (const std::uint32_t member : joined[state]) {
      rests.insert(rests.end(), corners[member].rests.begin(), corners[member].rests.end());
      for (const auto& [from, tail] : corners[member].tails) {
        const std::uint32_t origin = cycle.state_of.at(from);
        std::vector<NodeId>& way = texts[origin][state];
        if (const NodeId text = non_empty(tail); text != syntax.nothing()) way.push_back(text);
        if (origin != state && analysis.nullable(tail))
          cycle.states[origin].ways.push_back({syntax.empty(), state});
      }
    }
    cycle.states[state].rest = syntax.choice(rests);
  }
  for (std::uint32_t from = 0; from < joined.size(); ++from) {
    for (const auto& [to, choices] : texts[from]) {
      cycle.states[to].from.push_back(from);
      if (!choices.empty()) cycle.states[from].ways.push_back({syntax.choice(choices), to});
    }
  }
  return cycle;
}

std::vector<bool> leading_to(const LeftCycle& cycle, std::uint32_t target) {
  std::vector<bool> leads(cycle.states.size(), false);
  std::vector<std::uint32_t> open = {target};
  leads[target] = true;
  while (!open.empty()) {
    const std::uint32_t state = open.back();
    open.pop_back();
    for (const std::uint32_t from : cycle.states[state].from) {
      if (leads[from]) continue;
      leads[from] = true;
      open.push_back(from);
    }
  }
  return leads;
}

}  // namespace emberline::grammar::gbnf
