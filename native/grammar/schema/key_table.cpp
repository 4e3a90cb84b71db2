#include "grammar/schema/key_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "grammar/regular/minimise.h"

namespace emberline::grammar {

namespace {

constexpr std::size_t kMostReserved = 65'536;  // states

}  // namespace

Dfa key_table(std::span<const LabelledKey> keys, const Dfa& others) {
  if (keys.empty()) return others;
  // A class for each byte of a key; the other bytes are told apart as `others` does.
  std::array<bool, 256> in_keys{};
  for (const LabelledKey& key : keys)
    for (const char c : key.text) in_keys[static_cast<unsigned char>(c)] = true;
  Dfa dfa;
  dfa.classes = 0;
  std::vector<std::uint8_t> class_in_others;  // [classes]
  std::map<std::uint32_t, std::uint8_t> others_class;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::uint32_t theirs = others.empty() ? 0 : others.class_of[byte];
    if (!in_keys[byte]) {
      const auto [place, fresh] = others_class.emplace(theirs, static_cast<std::uint8_t>(dfa.classes));
      dfa.class_of[byte] = place->second;
      if (!fresh) continue;
    } else {
      dfa.class_of[byte] = static_cast<std::uint8_t>(dfa.classes);
    }
    class_in_others.push_back(static_cast<std::uint8_t>(theirs));
    ++dfa.classes;
  }

  // The start and the states of `others`, one further on; behind them a trie of the keys, each of whose
  // states goes on like the one in which `others` is behind the same text.
  std::size_t states = others.states() + std::size_t{1};
  for (const LabelledKey& key : keys) states += key.text.size();  // where no two begin alike
  dfa.next.reserve(std::min(states, kMostReserved) * dfa.classes);
  const auto add_state = [&](std::uint32_t theirs) {
    dfa.label.push_back(theirs == kNone ? 0 : others.label[theirs]);
    const std::size_t begin = dfa.next.size();
    dfa.next.resize(begin + dfa.classes, kNone);
    if (theirs == kNone) return;
    const std::uint32_t* const row = &others.next[std::size_t{theirs} * others.classes];
    for (std::uint32_t c = 0; c < dfa.classes; ++c) {
      const std::uint32_t next = row[class_in_others[c]];
      if (next != kNone) dfa.next[begin + c] = next + 1;
    }
  };
  add_state(others.empty() ? kNone : 0);
  for (std::uint32_t state = 0; state < others.states(); ++state) add_state(state);
  const std::uint32_t first_of_trie = dfa.states();
  const auto edge = [&dfa](std::uint32_t state, char c) {
    return std::size_t{state} * dfa.classes + dfa.class_of[static_cast<unsigned char>(c)];
  };
  bool dead_ends =
      others.empty() && std::ranges::all_of(keys, [](const LabelledKey& key) { return key.label == 0; });
  for (const auto& [text, label] : keys) {
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::uint32_t next = dfa.next[edge(at, text[i])];
      if (next != kNone && next >= first_of_trie) {
        at = next;
        continue;
      }
      if (label == 0 && next == kNone) break;  // it is none of the others
      if (label == 0 && i + 1 == text.size()) {
        dfa.next[edge(at, text[i])] = kNone;
        const auto row = dfa.next.begin() + static_cast<std::ptrdiff_t>(std::size_t{at} * dfa.classes);
        dead_ends =
            dead_ends || (dfa.label[at] == 0 &&
                          std::all_of(row, row + dfa.classes, [](std::uint32_t to) { return to == kNone; }));
        break;
      }
      dfa.next[edge(at, text[i])] = dfa.states();
      at = dfa.states();
      add_state(next == kNone ? kNone : next - 1);
    }
    if (label != 0) dfa.label[at] = label;
  }
  return dead_ends ? renumbered(trimmed(std::move(dfa))) : dfa;
}

}  // namespace emberline::grammar
