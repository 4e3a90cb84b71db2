#include "grammar/regular/word_graph.h"

#include <algorithm>

#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/minimise.h"

namespace emberline::grammar {

void WordGraph::add(std::string_view text) {
  if (full_ || prefixes_ + text.size() >= kMostStates) {
    full_ = true;
    return;
  }
  if (path_.empty()) {
    path_.emplace_back();
    prefixes_ = 1;
  }
  const auto common = static_cast<std::size_t>(std::ranges::mismatch(text, last_).in1 - text.begin());
  close(common);
  for (const char c : text.substr(common)) {
    path_.back().edges.emplace_back(static_cast<unsigned char>(c), kNone);
    path_.emplace_back();
  }
  path_.back().label = 1;
  prefixes_ += text.size() - common;
  last_ = text;
}

// Makes states of what is behind the prefix of that length.
void WordGraph::close(std::size_t length) {
  while (path_.size() > length + 1) {
    sequence_.assign(1, path_.back().label);
    for (const auto& [byte, to] : path_.back().edges) {
      sequence_.push_back(byte);
      sequence_.push_back(to);
    }
    path_.pop_back();
    path_.back().edges.back().second = done_.add(sequence_).first;
  }
}

Dfa WordGraph::dfa() && {
  Dfa dfa;
  if (path_.empty()) return dfa;
  close(0);
  // The start is state 0, those that are done come behind it.
  const std::uint32_t states = done_.size() + 1;
  std::uint32_t classes = 1;
  const auto number = [&](std::uint32_t byte) {
    if (dfa.class_of[byte] == 0) dfa.class_of[byte] = static_cast<std::uint8_t>(classes++);
  };
  for (const auto& [byte, to] : path_[0].edges) number(byte);
  for (std::uint32_t state = 0; state + 1 < states; ++state)
    for (std::size_t i = 1; i < done_[state].size(); i += 2) number(done_[state][i]);
  dfa.classes = classes;
  dfa.next.assign(static_cast<std::size_t>(states) * classes, kNone);
  dfa.label.push_back(path_[0].label);
  for (const auto& [byte, to] : path_[0].edges) dfa.next[dfa.class_of[byte]] = to + 1;
  for (std::uint32_t state = 0; state + 1 < states; ++state) {
    const auto of = done_[state];
    dfa.label.push_back(of[0]);
    const std::size_t row = (static_cast<std::size_t>(state) + 1) * classes;
    for (std::size_t i = 1; i < of.size(); i += 2) dfa.next[row + dfa.class_of[of[i]]] = of[i + 1] + 1;
  }
  return renumbered(dfa);
}

}  // namespace emberline::grammar
