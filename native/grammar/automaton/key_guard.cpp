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

}  // namespace emberline::grammar
