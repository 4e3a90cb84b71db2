#include "grammar/regular/trie.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "grammar/regular/dfa_operations.h"

namespace emberline::grammar {

void Trie::add(std::string_view text, std::uint32_t label) {
  if (full_ || label_.size() + text.size() >= kMostStates) {
    full_ = true;
    return;
  }
  if (path_.empty()) {
    label_.push_back(0);
    path_.push_back(0);
  }
  const auto common = static_cast<std::size_t>(std::ranges::mismatch(text, last_).in1 - text.begin());
  path_.resize(common + 1);
  for (std::size_t i = common; i < text.size(); ++i) {
    const auto next = static_cast<std::uint32_t>(label_.size());
    edges_.push_back({path_.back(), next, static_cast<unsigned char>(text[i])});
    label_.push_back(0);
    path_.push_back(next);
  }
  if (label_[path_.back()] == 0) label_[path_.back()] = label;
  last_ = text;
}

Dfa Trie::dfa() const {
  Dfa dfa;
  dfa.label = label_;
  std::uint32_t classes = 1;
  for (const Edge& edge : edges_) {
    if (dfa.class_of[edge.byte] == 0) dfa.class_of[edge.byte] = static_cast<std::uint8_t>(classes++);
  }
  dfa.classes = classes;
  dfa.next.assign(label_.size() * classes, kNone);
  for (const Edge& edge : edges_) {
    dfa.next[static_cast<std::size_t>(edge.from) * classes + dfa.class_of[edge.byte]] = edge.to;
  }
  return dfa;
}

}  // namespace emberline::grammar
