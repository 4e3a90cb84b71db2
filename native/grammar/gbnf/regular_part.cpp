#include "grammar/gbnf/regular_part.h"

#include <algorithm>
#include <vector>

#include "grammar/regular/nfa.h"

namespace emberline::grammar::gbnf {

namespace {

class Building {
 public:
  explicit Building(const Syntax& syntax) : syntax_(syntax) {}

  Result<Dfa> run(NodeId id, std::size_t& work_left) {
    const Nfa::Fragment whole = fragment(id);
    nfa_.set_start(whole.in);
    nfa_.accept(whole.out);
    return determinised(nfa_, Before::kNothing, work_left);
  }

 private:
  Nfa::Fragment fragment(NodeId id) {
    const Node& node = syntax_.node(id);
    switch (node.kind) {
      case Kind::kText: return nfa_.text(syntax_.text(node));
      case Kind::kCharacters: return nfa_.code_points(syntax_.characters(node));
      case Kind::kRule: return fragment(syntax_.rules[node.at].body);
      case Kind::kRepeat: return repeated(node);
      case Kind::kSequence:
      case Kind::kChoice: {
        std::vector<Nfa::Fragment> parts;
        for (const NodeId part : syntax_.parts(node)) parts.push_back(fragment(part));
        return node.kind == Kind::kSequence ? nfa_.concatenated(parts) : nfa_.united(parts);
      }
      case Kind::kNothing:
      case Kind::kEmpty:
      case Kind::kToken: break;
    }
    return nfa_.empty();
  }

  Nfa::Fragment repeated(const Node& node) {
    const Nfa::Fragment whole = {nfa_.add_state(), nfa_.add_state()};
    Nfa::State at = whole.in;
    const bool bounded = node.most != kUnbounded;
    // Without an upper bound the last of those that must be goes on repeating.
    const std::uint32_t copies = bounded ? node.most : std::max(node.least, 1u) - 1;
    for (std::uint32_t copy = 0; copy < copies; ++copy) {
      if (copy >= node.least) nfa_.add_epsilon(at, whole.out);
      const Nfa::Fragment part = fragment(node.at);
      nfa_.add_epsilon(at, part.in);
      at = part.out;
    }
    if (!bounded) {
      Nfa::Fragment part = fragment(node.at);
      if (node.least == 0) {
        part = nfa_.starred(part);
      } else {
        // Once, or again and again.
        const Nfa::State end = nfa_.add_state();
        nfa_.add_epsilon(part.out, end);
        nfa_.add_epsilon(part.out, part.in);
        part.out = end;
      }
      nfa_.add_epsilon(at, part.in);
      at = part.out;
    }
    nfa_.add_epsilon(at, whole.out);
    return whole;
  }

  const Syntax& syntax_;
  Nfa nfa_;
};

}  // namespace

Result<Dfa> regular_part(const Syntax& syntax, NodeId id, std::size_t& work_left) {
  return Building(syntax).run(id, work_left);
}

}  // namespace emberline::grammar::gbnf
