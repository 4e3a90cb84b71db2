#include "grammar/regular/obligations.h"

#include <algorithm>

#include "grammar/regular/dfa_operations.h"

namespace emberline::grammar {

namespace {

// The states from which every valid text is accepted.
std::vector<std::uint8_t> universal_states(const Dfa& dfa) {
  static const Dfa every = any_text();
  std::vector<std::uint8_t> universal(dfa.states(), 0);
  for (std::uint32_t state = 0; state < dfa.states(); ++state) {
    // As both are minimal: the states reached have to correspond, one to one.
    std::vector<std::uint32_t> partner(every.states(), kNone);
    std::vector<std::uint32_t> stack = {0};
    partner[0] = state;
    bool same = true;
    while (same && !stack.empty()) {
      const std::uint32_t at = stack.back();
      stack.pop_back();
      same = (dfa.label[partner[at]] != 0) == (every.label[at] != 0);
      for (int byte = 0; same && byte < 256; ++byte) {
        const std::uint32_t to = every.step(at, static_cast<unsigned char>(byte));
        const std::uint32_t with = dfa.step(partner[at], static_cast<unsigned char>(byte));
        if (to == kNone || with == kNone) {
          same = to == with;
        } else if (partner[to] == kNone) {
          partner[to] = with;
          stack.push_back(to);
        } else {
          same = partner[to] == with;
        }
      }
    }
    universal[state] = same;
  }
  return universal;
}

}  // namespace

std::uint32_t Obligations::with(std::uint32_t to, const std::shared_ptr<const Dfa>& rest) {
  if (rest->empty()) return kNone;
  const std::uint32_t automaton = number(rest);
  if (universal_[automaton][0]) return to;
  const auto [at, added] = joined_.try_emplace({to, automaton}, 0);
  if (!added) return at->second;
  Set set(sets_[to].begin(), sets_[to].end());
  const std::uint64_t start = static_cast<std::uint64_t>(automaton) << 32;
  const auto place = std::ranges::lower_bound(set, start);
  if (place == set.end() || *place != start) set.insert(place, start);
  return at->second = sets_.add(set).first;
}

std::uint32_t Obligations::step(std::uint32_t of, std::uint32_t byte_class, unsigned char byte) {
  if (of == kNothing) return kNothing;
  const auto [at, added] = stepped_.try_emplace({of, byte_class}, kNone);
  if (!added) return at->second;
  Set set;
  for (const std::uint64_t one : sets_[of]) {
    const auto automaton = static_cast<std::uint32_t>(one >> 32);
    const std::uint32_t to = automata_[automaton]->step(static_cast<std::uint32_t>(one), byte);
    if (to == kNone) return kNone;
    if (!universal_[automaton][to]) set.push_back(static_cast<std::uint64_t>(automaton) << 32 | to);
  }
  std::ranges::sort(set);
  set.erase(std::ranges::unique(set).begin(), set.end());
  return at->second = sets_.add(set).first;
}

std::uint32_t Obligations::number(const std::shared_ptr<const Dfa>& rest) {
  for (std::uint32_t i = 0; i < automata_.size(); ++i) {
    if (automata_[i] == rest) return i;
  }
  automata_.push_back(rest);
  universal_.push_back(universal_states(*rest));
  return static_cast<std::uint32_t>(automata_.size() - 1);
}

}  // namespace emberline::grammar
