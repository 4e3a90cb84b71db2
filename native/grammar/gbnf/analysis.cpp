#include "grammar/gbnf/analysis.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "grammar/gbnf/components.h"
#include "grammar/regular/grouped.h"

namespace emberline::grammar::gbnf {

namespace {

// Rules within rules that are spelled out in one automaton.
constexpr std::uint32_t kMostInlinedDepth = 200;

// kNullable: the empty text is one of it. kProductive: there is a text. kSpelled: there is one that is not
// empty.
enum class Property { kNullable, kProductive, kSpelled };

// Which expressions have a property that follows from that of their parts, and of the rules they name: the
// least solution, in linear time.
std::vector<bool> solve(const Syntax& syntax, Property property) {
  const std::size_t nodes = syntax.nodes();
  std::vector<std::uint32_t> missing(nodes, 1);  // parts that must have it yet
  std::vector<std::vector<NodeId>> named(syntax.rules.size());
  const auto each_part = [&](NodeId id, const auto& use) {
    const Node& node = syntax.node(id);
    if (node.kind == Kind::kSequence || node.kind == Kind::kChoice) {
      for (const NodeId part : syntax.parts(node)) use(part);
    } else if (node.kind == Kind::kRepeat) {
      use(node.at);
    } else if (node.kind == Kind::kRule && syntax.rules[node.at].body != kNone) {
      use(syntax.rules[node.at].body);
    }
  };
  std::vector<NodeId> ready;
  for (NodeId id = 0; id < nodes; ++id) {
    const Node& node = syntax.node(id);
    if (node.kind == Kind::kSequence && property != Property::kSpelled) missing[id] = node.count;
    const bool leaf = node.kind == Kind::kText || node.kind == Kind::kCharacters || node.kind == Kind::kToken;
    const bool skippable = node.kind == Kind::kEmpty || (node.kind == Kind::kRepeat && node.least == 0);
    if (property == Property::kNullable ? skippable
                                        : leaf || (skippable && property == Property::kProductive)) {
      missing[id] = 0;
      ready.push_back(id);
    }
  }
  const Grouped users(nodes, [&](const auto& add) {
    for (NodeId id = 0; id < nodes; ++id) each_part(id, [&](NodeId part) { add(part, id); });
  });
  while (!ready.empty()) {
    const NodeId id = ready.back();
    ready.pop_back();
    for (const NodeId user : users.of(id)) {
      std::uint32_t& left = missing[user];
      if (left == 0) continue;
      left -= 1;
      if (left == 0) ready.push_back(user);
    }
  }
  std::vector<bool> has(nodes);
  for (std::size_t id = 0; id < nodes; ++id) has[id] = missing[id] == 0;
  return has;
}

// Makes expressions anew without what has no text, and without parts that have none but the empty one.
class Pruning {
 public:
  explicit Pruning(Syntax& syntax)
      : syntax_(syntax),
        productive_(solve(syntax, Property::kProductive)),
        spelled_(solve(syntax, Property::kSpelled)) {}

  NodeId operator()(NodeId id) {
    if (!productive_[id]) return syntax_.nothing();
    if (!spelled_[id]) return syntax_.empty();
    const Node node = syntax_.node(id);
    if (node.kind == Kind::kRepeat) return syntax_.repeat((*this)(node.at), node.least, node.most);
    if (node.kind != Kind::kSequence && node.kind != Kind::kChoice) return id;
    std::vector<NodeId> parts(syntax_.parts(node).begin(), syntax_.parts(node).end());
    for (NodeId& part : parts) part = (*this)(part);
    return node.kind == Kind::kSequence ? syntax_.sequence(parts) : syntax_.choice(parts);
  }

 private:
  Syntax& syntax_;
  const std::vector<bool> productive_, spelled_;
};

// Which rule's body came to an expression last: loops share expressions, which are gone into once for each.
class LastVisits {
 public:
  explicit LastVisits(const Syntax& syntax) : last_(syntax.nodes(), kNone) {}

  bool first(RuleId rule, NodeId id) { return std::exchange(last_[id], rule) != rule; }

 private:
  std::vector<RuleId> last_;
};

// Rules that are named within `id`, which is of `rule`'s body.
template <typename Visit>
void each_rule(const Syntax& syntax, LastVisits& visits, RuleId rule, NodeId id, const Visit& visit) {
  if (!visits.first(rule, id)) return;
  const Node& node = syntax.node(id);
  if (node.kind == Kind::kRule) visit(node.at);
  if (node.kind == Kind::kRepeat) each_rule(syntax, visits, rule, node.at, visit);
  if (node.kind != Kind::kSequence && node.kind != Kind::kChoice) return;
  for (const NodeId part : syntax.parts(node)) each_rule(syntax, visits, rule, part, visit);
}

// Of these, those with whose texts those of `id` may begin.
template <typename Visit>
void each_first_rule(const Syntax& syntax, Analysis& analysis, LastVisits& visits, RuleId rule, NodeId id,
                     const Visit& visit) {
  if (!visits.first(rule, id)) return;
  const Node& node = syntax.node(id);
  if (node.kind == Kind::kRule) visit(node.at);
  if (node.kind == Kind::kRepeat) each_first_rule(syntax, analysis, visits, rule, node.at, visit);
  if (node.kind != Kind::kSequence && node.kind != Kind::kChoice) return;
  for (const NodeId part : syntax.parts(node)) {
    each_first_rule(syntax, analysis, visits, rule, part, visit);
    if (node.kind == Kind::kSequence && !analysis.nullable(part)) return;
  }
}

std::uint32_t saturated(std::uint64_t states) {
  return states > Analysis::kMostStates ? kNone : static_cast<std::uint32_t>(states);
}

}  // namespace

bool prune(Syntax& syntax) {
  Pruning pruned(syntax);
  for (Rule& rule : syntax.rules) rule.body = pruned(rule.body);
  return syntax.rules[syntax.root].body != syntax.nothing();
}

Analysis::Analysis(const Syntax& syntax) : syntax_(syntax), cycle_of_(syntax.rules.size(), 0) {
  const std::vector<bool> nullable = solve(syntax, Property::kNullable);
  for (const Rule& rule : syntax.rules) rule_nullable_.push_back(nullable[rule.body]);
  Edges calls(syntax.rules.size());
  LastVisits visits(syntax);
  for (RuleId rule = 0; rule < syntax.rules.size(); ++rule) {
    each_rule(syntax, visits, rule, syntax.rules[rule].body, [&](RuleId to) { calls[rule].push_back(to); });
  }
  rule_extents_.resize(syntax.rules.size());
  std::vector<bool> used(syntax.rules.size(), false);
  for (const std::vector<std::uint32_t>& component : components(calls, syntax.root)) {
    for (const RuleId rule : component) used[rule] = true;
    const RuleId rule = component.front();
    const bool recursive =
        component.size() > 1 || std::find(calls[rule].begin(), calls[rule].end(), rule) != calls[rule].end();
    if (recursive) continue;
    const Extent body = extent(syntax.rules[rule].body);
    if (body.states <= kMostInlined && body.depth < kMostInlinedDepth) rule_extents_[rule] = body;
  }
  find_left_cycles(used);
}

void Analysis::find_left_cycles(const std::vector<bool>& used) {
  const auto rules = static_cast<RuleId>(syntax_.rules.size());
  // One more, from which all that are used are reached.
  Edges begins(rules + 1);
  LastVisits visits(syntax_);
  for (RuleId rule = 0; rule < rules; ++rule) {
    if (!used[rule]) continue;
    begins[rules].push_back(rule);
    each_first_rule(syntax_, *this, visits, rule, syntax_.rules[rule].body,
                    [&](RuleId first) { begins[rule].push_back(first); });
  }
  for (std::vector<std::uint32_t>& component : components(begins, rules)) {
    const RuleId rule = component.front();
    const bool cyclic = component.size() > 1 ||
                        std::find(begins[rule].begin(), begins[rule].end(), rule) != begins[rule].end();
    if (!cyclic) continue;
    for (const RuleId member : component) cycle_of_[member] = static_cast<std::uint32_t>(cycles_.size());
    cycles_.push_back(std::move(component));
  }
}

bool Analysis::nullable(NodeId id) {
  if (id >= nullable_.size()) nullable_.resize(syntax_.nodes(), Known::kNot);
  if (nullable_[id] != Known::kNot) return nullable_[id] == Known::kYes;
  const Node& node = syntax_.node(id);
  const auto may_be_empty = [this](NodeId part) { return nullable(part); };
  bool is = false;
  switch (node.kind) {
    case Kind::kEmpty: is = true; break;
    case Kind::kRule: is = !node.not_empty && rule_nullable_[node.at]; break;
    case Kind::kRepeat: is = node.least == 0 || nullable(node.at); break;
    case Kind::kSequence: {
      const auto parts = syntax_.parts(node);
      is = std::all_of(parts.begin(), parts.end(), may_be_empty);
      break;
    }
    case Kind::kChoice: {
      const auto parts = syntax_.parts(node);
      is = std::any_of(parts.begin(), parts.end(), may_be_empty);
      break;
    }
    case Kind::kNothing:
    case Kind::kText:
    case Kind::kCharacters:
    case Kind::kToken: break;
  }
  nullable_[id] = is ? Known::kYes : Known::kNo;
  return is;
}

Analysis::Extent Analysis::extent(NodeId id) {
  if (id >= measured_.size()) {
    measured_.resize(syntax_.nodes(), false);
    extents_.resize(syntax_.nodes());
  }
  if (!measured_[id]) {
    const Extent here = measured(syntax_.node(id));
    measured_[id] = true;
    extents_[id] = here;
  }
  return extents_[id];
}

Analysis::Extent Analysis::measured(const Node& node) {
  constexpr Extent kNotRegular = {};
  switch (node.kind) {
    case Kind::kNothing:
    case Kind::kToken: return kNotRegular;
    case Kind::kEmpty: return {1, 1};
    case Kind::kText: return {saturated(node.count + 1), 1};
    case Kind::kCharacters: {
      // Beyond ASCII a range is up to five sequences of bytes.
      const CodePointSet& set = syntax_.characters(node);
      return {saturated(set.back().last >= 0x80 ? 4 + 4 * std::uint64_t{set.size()} : 2), 1};
    }
    case Kind::kRule: {
      const Extent body = node.not_empty && rule_nullable_[node.at] ? kNotRegular : rule_extents_[node.at];
      return {body.states, body.depth + 1};
    }
    case Kind::kRepeat: {
      const Extent part = extent(node.at);
      if (part.states == kNone) return kNotRegular;
      const std::uint64_t times = node.most == kUnbounded ? std::max(node.least, 1u) : node.most;
      return {saturated(part.states * times + 2), part.depth + 1};
    }
    case Kind::kSequence:
    case Kind::kChoice: {
      std::uint64_t sum = 2;
      std::uint32_t depth = 0;
      for (const NodeId id : syntax_.parts(node)) {
        const Extent part = extent(id);
        if (part.states == kNone) return kNotRegular;
        sum += part.states;
        depth = std::max(depth, part.depth);
      }
      return {saturated(sum), depth + 1};
    }
  }
  return kNotRegular;
}

}  // namespace emberline::grammar::gbnf
