#include "grammar/gbnf/syntax.h"

#include <algorithm>
#include <utility>

namespace emberline::grammar::gbnf {

Syntax::Syntax() {
  nodes_.push_back({.kind = Kind::kNothing});
  nodes_.push_back({.kind = Kind::kEmpty});
}

NodeId Syntax::add(Node node) {
  if (nodes_.size() >= kMostNodes || node.depth > kMostDepth) too_large_ = true;
  if (too_large_) return nothing();
  nodes_.push_back(node);
  return static_cast<NodeId>(nodes_.size() - 1);
}

NodeId Syntax::text(std::string_view utf8) {
  if (utf8.empty()) return empty();
  const auto at = static_cast<std::uint32_t>(texts_.size());
  texts_ += utf8;
  return add({.kind = Kind::kText, .at = at, .count = static_cast<std::uint32_t>(utf8.size())});
}

NodeId Syntax::characters(CodePointSet set) {
  // Surrogates are no characters: UTF-8 has none.
  const bool none = std::all_of(set.begin(), set.end(), [](const CodePointRange& range) {
    return range.first >= 0xD800 && range.last <= 0xDFFF;
  });
  if (none) return nothing();
  sets_.push_back(std::move(set));
  return add({.kind = Kind::kCharacters, .at = static_cast<std::uint32_t>(sets_.size() - 1)});
}

NodeId Syntax::token(TokenSetRule set) {
  token_sets_.push_back(std::move(set));
  return add({.kind = Kind::kToken, .at = static_cast<std::uint32_t>(token_sets_.size() - 1)});
}

NodeId Syntax::rule(RuleId rule, bool not_empty) {
  return add({.kind = Kind::kRule, .not_empty = not_empty, .at = rule});
}

NodeId Syntax::add_parts(Kind kind, std::span<const NodeId> parts) {
  if (parts_.size() + parts.size() > kMostParts) too_large_ = true;
  if (too_large_) return nothing();
  Node node = {.kind = kind,
               .at = static_cast<std::uint32_t>(parts_.size()),
               .count = static_cast<std::uint32_t>(parts.size())};
  for (const NodeId part : parts) {
    node.depth = std::max(node.depth, static_cast<std::uint16_t>(nodes_[part].depth + 1));
  }
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  return add(node);
}

NodeId Syntax::sequence(std::span<const NodeId> parts) {
  std::vector<NodeId> kept;
  for (const NodeId part : parts) {
    if (part == nothing()) return nothing();
    if (part != empty()) kept.push_back(part);
  }
  if (kept.empty()) return empty();
  return kept.size() == 1 ? kept.front() : add_parts(Kind::kSequence, kept);
}

NodeId Syntax::choice(std::span<const NodeId> parts) {
  std::vector<NodeId> kept;
  bool may_be_empty = false;
  for (const NodeId part : parts) {
    may_be_empty = may_be_empty || part == empty();
    if (part != nothing() && part != empty()) kept.push_back(part);
  }
  if (kept.empty()) return may_be_empty ? empty() : nothing();
  const NodeId chosen = kept.size() == 1 ? kept.front() : add_parts(Kind::kChoice, kept);
  return may_be_empty ? repeat(chosen, 0, 1) : chosen;
}

NodeId Syntax::repeat(NodeId part, std::uint32_t least, std::uint32_t most) {
  if (most == 0 || part == empty()) return empty();
  if (part == nothing()) return least == 0 ? empty() : nothing();
  if (least == 1 && most == 1) return part;
  const auto depth = static_cast<std::uint16_t>(nodes_[part].depth + 1);
  return add({.kind = Kind::kRepeat, .depth = depth, .at = part, .least = least, .most = most});
}

}  // namespace emberline::grammar::gbnf
