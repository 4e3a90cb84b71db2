#include "grammar/gbnf/regular_part.h"

#include "grammar/regular/nfa.h"

namespace emberline::grammar::gbnf {

namespace {

class Building {
 public:
  explicit Building(const Syntax& syntax) : syntax_(syntax) {}

  Result<Dfa> run(NodeId id, std::size_t& work_left) {
    const Nfa::State start = nfa_.add_state(), end = nfa_.add_state();
    write(id, start, end);
    nfa_.set_start(start);
    nfa_.accept(end);
    return determinised(nfa_, Before::kNothing, work_left);
  }

 private:
  void write(NodeId id, Nfa::State from, Nfa::State to) {
    const Node& node = syntax_.node(id);
    switch (node.kind) {
      case Kind::kText: return nfa_.add_text(from, syntax_.text(node), to);
      case Kind::kCharacters: return nfa_.add_code_points(from, syntax_.characters(node), to);
      case Kind::kRule: return write(syntax_.rules[node.at].body, from, to);
      case Kind::kRepeat:
        return nfa_.add_repeat(from, node.least, node.most, to,
                               [&](Nfa::State before, Nfa::State behind) { write(node.at, before, behind); });
      case Kind::kSequence:
        return nfa_.add_sequence(
            from, syntax_.parts(node), to,
            [this](NodeId part, Nfa::State before, Nfa::State behind) { write(part, before, behind); });
      case Kind::kChoice:
        for (const NodeId part : syntax_.parts(node)) write(part, from, to);
        return;
      case Kind::kNothing:
      case Kind::kEmpty:
      case Kind::kToken: return nfa_.add_epsilon(from, to);
    }
  }

  const Syntax& syntax_;
  Nfa nfa_;
};

}  // namespace

Result<Dfa> regular_part(const Syntax& syntax, NodeId id, std::size_t& work_left) {
  return Building(syntax).run(id, work_left);
}

}  // namespace emberline::grammar::gbnf
