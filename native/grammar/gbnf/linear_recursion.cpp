#include "grammar/gbnf/linear_recursion.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace emberline::grammar::gbnf {

namespace {

enum class End { kFirst, kLast };

// Splits a rule's texts into those that have the rule itself at one end, without it, and the rest.
class LinearRecursion {
 public:
  LinearRecursion(Syntax& syntax, RuleId rule, End end) : syntax_(syntax), rule_(rule), end_(end) {}

  // Whether the rule could be rewritten.
  bool run() {
    if (!split(syntax_.rules[rule_].body, syntax_.empty())) return false;
    const NodeId loop = syntax_.repeat(syntax_.choice(steps_), 0, kUnbounded);
    const NodeId rest = syntax_.choice(rests_);
    syntax_.rules[rule_].body = end_ == End::kLast ? joined({loop, rest}) : joined({rest, loop});
    return true;
  }

  bool names_itself(NodeId id) const {
    const Node& node = syntax_.node(id);
    if (node.kind == Kind::kRule) return node.at == rule_;
    if (node.kind == Kind::kRepeat) return names_itself(node.at);
    if (node.kind != Kind::kSequence && node.kind != Kind::kChoice) return false;
    const auto parts = syntax_.parts(node);
    return std::any_of(parts.begin(), parts.end(), [this](NodeId part) { return names_itself(part); });
  }

 private:
  NodeId joined(const std::vector<NodeId>& parts) { return syntax_.sequence(parts); }
  // `beside`: what stands between `id` and the other end.
  NodeId with(NodeId id, NodeId beside) {
    return end_ == End::kLast ? joined({beside, id}) : joined({id, beside});
  }

  bool split(NodeId id, NodeId beside) {
    if (!names_itself(id)) {
      rests_.push_back(with(id, beside));
      return true;
    }
    const Node node = syntax_.node(id);
    std::vector<NodeId> parts;
    switch (node.kind) {
      case Kind::kRule:
        if (beside != syntax_.empty()) steps_.push_back(beside);
        return true;
      case Kind::kRepeat:
        if (node.most != 1) return false;
        rests_.push_back(beside);
        return split(node.at, beside);
      case Kind::kChoice:
        parts.assign(syntax_.parts(node).begin(), syntax_.parts(node).end());
        return std::all_of(parts.begin(), parts.end(), [&](NodeId part) { return split(part, beside); });
      case Kind::kSequence: {
        parts.assign(syntax_.parts(node).begin(), syntax_.parts(node).end());
        const auto own = end_ == End::kLast ? parts.end() - 1 : parts.begin();
        const NodeId outer = *own;
        parts.erase(own);
        if (std::any_of(parts.begin(), parts.end(), [this](NodeId part) { return names_itself(part); }))
          return false;
        return split(outer, with(joined(parts), beside));
      }
      default: return false;
    }
  }

  Syntax& syntax_;
  RuleId rule_;
  End end_;
  std::vector<NodeId> steps_, rests_;
};

}  // namespace

void make_loops(Syntax& syntax) {
  for (RuleId rule = 0; rule < syntax.rules.size() && !syntax.too_large(); ++rule) {
    LinearRecursion last(syntax, rule, End::kLast);
    if (!last.names_itself(syntax.rules[rule].body) || last.run()) continue;
    LinearRecursion(syntax, rule, End::kFirst).run();
  }
}

}  // namespace emberline::grammar::gbnf
