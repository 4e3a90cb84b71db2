#include "grammar/automaton/key_guard.h"

#include <algorithm>
#include <utility>

namespace emberline::grammar {

KeyGuard::KeyGuard(const Dfa& dfa, std::vector<std::uint32_t> allowed)
    : dfa_(&dfa), allowed_(std::move(allowed)), known_(dfa.states(), kUnknown) {}

bool KeyGuard::goes_on(std::uint32_t state) {
  const std::uint32_t* row = &dfa_->next[std::size_t{state} * dfa_->classes];
  return std::any_of(row, row + dfa_->classes, [this](std::uint32_t next) { return live(next); });
}

// Depth first, until something allowed is met: all that is open then leads there. Where nothing is met, all
// that was seen leads nowhere.
bool KeyGuard::search(std::uint32_t state) {
  struct Step {
    std::uint32_t state, next_class;
  };
  std::vector<Step> path;
  std::vector<std::uint32_t> seen;
  const auto open = [&](std::uint32_t each) {
    known_[each] = kOpen;
    path.push_back({each, 0});
    seen.push_back(each);
  };
  open(state);
  bool found = false;
  while (!path.empty() && !found) {
    Step& top = path.back();
    if (top.next_class == 0 && dfa_->label[top.state] != 0 && allows(dfa_->label[top.state])) {
      found = true;
      break;
    }
    if (top.next_class == dfa_->classes) {
      path.pop_back();
      continue;
    }
    const std::uint32_t next = dfa_->next[std::size_t{top.state} * dfa_->classes + top.next_class++];
    if (next == kNone) continue;
    if (known_[next] == kLive) {
      found = true;
    } else if (known_[next] == kUnknown) {
      open(next);
    }
  }
  for (const std::uint32_t each : seen) known_[each] = found ? kUnknown : kNever;
  for (const Step& each : path) known_[each.state] = kLive;
  return found;
}

std::uint64_t count_texts(const Dfa& dfa, KeyGuard& guard, std::uint64_t most) {
  if (dfa.empty() || !guard.live(0)) return 0;
  // Edges into each state from live ones that can be reached.
  std::vector<std::uint32_t> edges_in(dfa.states(), 0);
  std::vector<bool> reached(dfa.states(), false);
  std::vector<std::uint32_t> work{0};
  reached[0] = true;
  std::size_t states = 0;
  while (!work.empty()) {
    const std::uint32_t state = work.back();
    work.pop_back();
    ++states;
    for (std::uint32_t c = 0; c < dfa.classes; ++c) {
      const std::uint32_t next = dfa.next[std::size_t{state} * dfa.classes + c];
      if (next == kNone || !guard.live(next)) continue;
      ++edges_in[next];
      if (!reached[next]) {
        reached[next] = true;
        work.push_back(next);
      }
    }
  }
  if (edges_in[0] > 0) return most;
  std::vector<std::uint64_t> bytes_of_class(dfa.classes, 0);
  for (const std::uint8_t c : dfa.class_of) ++bytes_of_class[c];
  std::vector<std::uint64_t> ways(dfa.states(), 0);
  ways[0] = 1;
  std::uint64_t texts = 0;
  work.push_back(0);
  while (!work.empty()) {
    const std::uint32_t state = work.back();
    work.pop_back();
    --states;
    if (dfa.label[state] != 0 && guard.allows(dfa.label[state])) texts = std::min(most, texts + ways[state]);
    for (std::uint32_t c = 0; c < dfa.classes; ++c) {
      const std::uint32_t next = dfa.next[std::size_t{state} * dfa.classes + c];
      if (next == kNone || !guard.live(next)) continue;
      ways[next] = std::min(most, ways[next] + std::min(most, ways[state]) * bytes_of_class[c]);
      if (--edges_in[next] == 0) work.push_back(next);
    }
  }
  return states > 0 ? most : texts;  // what is left over goes round in circles
}

}  // namespace emberline::grammar
