#include "grammar/schema/key_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace emberline::grammar {

namespace {

struct Node {
  std::vector<std::pair<unsigned char, std::uint32_t>> children;
  std::uint32_t key = kNone;     // that ends here
  std::uint32_t others = kNone;  // the state of `others` behind the same text
};

// Takes out states that nothing leads to, of which the first is kept.
void drop_states(Dfa& dfa, const std::vector<bool>& keep) {
  if (std::find(keep.begin(), keep.end(), false) == keep.end()) return;
  std::vector<std::uint32_t> number(dfa.states());
  std::uint32_t kept = 0;
  for (std::uint32_t state = 0; state < dfa.states(); ++state) {
    if (state < keep.size() && !keep[state]) continue;
    const auto row = dfa.next.begin() + static_cast<std::ptrdiff_t>(state) * dfa.classes;
    std::copy(row, row + dfa.classes, dfa.next.begin() + static_cast<std::ptrdiff_t>(kept) * dfa.classes);
    dfa.label[kept] = dfa.label[state];
    number[state] = kept++;
  }
  dfa.label.resize(kept);
  dfa.next.resize(static_cast<std::size_t>(kept) * dfa.classes);
  for (std::uint32_t& next : dfa.next)
    if (next != kNone) next = number[next];
}

}  // namespace

Dfa key_table(std::span<const LabelledKey> keys, const Dfa& others) {
  if (keys.empty()) return others;
  // A trie, whose nodes come before the nodes below them.
  std::vector<Node> trie(1);
  trie[0].others = others.empty() ? kNone : 0;
  std::array<bool, 256> in_keys{};
  for (std::uint32_t k = 0; k < keys.size(); ++k) {
    std::uint32_t at = 0;
    for (const char c : keys[k].text) {
      const auto byte = static_cast<unsigned char>(c);
      in_keys[byte] = true;
      std::uint32_t next = kNone;
      for (const auto& [edge, child] : trie[at].children)
        if (edge == byte) next = child;
      if (next == kNone) {
        next = static_cast<std::uint32_t>(trie.size());
        trie[at].children.emplace_back(byte, next);
        trie.emplace_back();
        if (trie[at].others != kNone) trie.back().others = others.step(trie[at].others, byte);
      }
      at = next;
    }
    trie[at].key = k;
  }

  // A class for each byte of a key; the other bytes are told apart as `others` does.
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

  const auto nodes = static_cast<std::uint32_t>(trie.size());
  const std::size_t states = static_cast<std::size_t>(nodes) + others.states();
  dfa.next.assign(states * dfa.classes, kNone);
  dfa.label.assign(states, 0);
  const auto row = [&dfa](std::uint32_t state) {
    return dfa.next.begin() + static_cast<std::ptrdiff_t>(state) * dfa.classes;
  };
  const auto copy_others = [&](std::uint32_t state, std::uint32_t theirs) {
    const auto to = row(state);
    const auto from = others.next.begin() + static_cast<std::ptrdiff_t>(theirs) * others.classes;
    for (std::uint32_t c = 0; c < dfa.classes; ++c) {
      const std::uint32_t next = from[class_in_others[c]];
      if (next != kNone) to[c] = nodes + next;
    }
  };
  for (std::uint32_t state = 0; state < others.states(); ++state) {
    dfa.label[nodes + state] = others.label[state];
    copy_others(nodes + state, state);
  }
  std::vector<bool> live(nodes, false);
  for (std::uint32_t at = nodes; at-- > 0;) {
    const Node& node = trie[at];
    if (node.others != kNone) {
      copy_others(at, node.others);
      dfa.label[at] = others.label[node.others];
    }
    if (node.key != kNone) dfa.label[at] = keys[node.key].label;
    for (const auto& [byte, child] : node.children) row(at)[dfa.class_of[byte]] = live[child] ? child : kNone;
    live[at] = dfa.label[at] != 0 ||
               std::any_of(row(at), row(at) + dfa.classes, [](std::uint32_t next) { return next != kNone; });
  }
  if (!live[0]) return Dfa{};
  drop_states(dfa, live);
  return dfa;
}

}  // namespace emberline::grammar
