// A GBNF grammar as it was written: rules and the expressions they stand for.
//
// Expressions are nodes in one array, which know their parts by index. What makes them simplifies: an
// expression holds no part that matches nothing, and none that matches the empty text alone, unless it is
// that itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/program.h"
#include "grammar/regular/code_points.h"

namespace emberline::grammar::gbnf {

using NodeId = std::uint32_t;
using RuleId = std::uint32_t;

enum class Kind : std::uint8_t {
  kNothing,     // no text at all
  kEmpty,       // the empty text
  kText,        // a literal
  kCharacters,  // one of several characters
  kToken,       // one token of a set
  kRule,        // what a rule stands for
  kSequence,    // one part behind the other
  kChoice,      // one of the parts
  kRepeat,      // the part, from least to most times
};

struct Node {
  Kind kind = Kind::kNothing;
  // kRule: what the rule stands for, the empty text left out.
  bool not_empty = false;
  std::uint16_t depth = 1;
  // kText: begin in the texts. kCharacters, kToken: which set. kRule: the rule. kSequence, kChoice: begin in
  // the parts. kRepeat: the part.
  std::uint32_t at = 0;
  std::uint32_t count = 0;  // kText: bytes; kSequence, kChoice
  std::uint32_t least = 0, most = 0;
};

struct Rule {
  std::string name;
  NodeId body = kNone;  // kNone: not defined
};

class Syntax {
 public:
  // What there may be, in all; behind that every expression is kNothing, and too_large() says so. An
  // expression is at most kMostDepth deep, so that it may be walked by recursion.
  static constexpr std::size_t kMostNodes = 1u << 20;
  static constexpr std::size_t kMostParts = 1u << 22;
  static constexpr std::uint32_t kMostDepth = 500;

  Syntax();

  NodeId nothing() const { return 0; }
  NodeId empty() const { return 1; }
  NodeId text(std::string_view utf8);
  NodeId characters(CodePointSet set);
  NodeId token(TokenSetRule set);
  NodeId rule(RuleId rule, bool not_empty = false);
  NodeId sequence(std::span<const NodeId> parts);
  NodeId choice(std::span<const NodeId> parts);
  NodeId repeat(NodeId part, std::uint32_t least, std::uint32_t most);

  const Node& node(NodeId id) const { return nodes_[id]; }
  std::size_t nodes() const { return nodes_.size(); }
  std::span<const NodeId> parts(const Node& node) const {
    return std::span(parts_).subspan(node.at, node.count);
  }
  const CodePointSet& characters(const Node& node) const { return sets_[node.at]; }
  std::string_view text(const Node& node) const {
    return std::string_view(texts_).substr(node.at, node.count);
  }
  const TokenSetRule& token_set(const Node& node) const { return token_sets_[node.at]; }
  bool too_large() const { return too_large_; }

  std::vector<Rule> rules;
  RuleId root = 0;

 private:
  NodeId add(Node node);
  NodeId add_parts(Kind kind, std::span<const NodeId> parts);

  std::vector<Node> nodes_;
  std::vector<NodeId> parts_;
  std::vector<CodePointSet> sets_;
  std::string texts_;
  std::vector<TokenSetRule> token_sets_;
  bool too_large_ = false;
};

}  // namespace emberline::grammar::gbnf
