#include "grammar/regular/dfa_operations.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"
#include "grammar/regular/dfa_rows.h"
#include "grammar/regular/interned.h"
#include "grammar/regular/minimise.h"
#include "grammar/regular/nfa.h"
#include "grammar/regular/too_large.h"

namespace emberline::grammar {
namespace {

std::uint32_t next_of(const Dfa& dfa, std::uint32_t state, std::uint8_t c) {
  return state == kNone ? kNone : dfa.next[static_cast<std::size_t>(state) * dfa.classes + c];
}
bool accepts(const Dfa& dfa, std::uint32_t state) {
  return state != kNone && dfa.label[state] != 0;
}
std::uint32_t start(const Dfa& dfa) {
  return dfa.empty() ? kNone : 0;
}

// Walks the pairs of states that some text leads to, kNone where an automaton has none, as far as `worth`
// says of whether each has one. A text is accepted as `accepted` says of whether each accepts it.
template <typename Worth, typename Accepted>
Result<Dfa> product(const Dfa& a, const Dfa& b, Worth worth, Accepted accepted) {
  Dfa dfa;
  // The bytes that neither of the automata tells apart.
  std::vector<std::pair<std::uint8_t, std::uint8_t>> own;  // [classes]: the class in either automaton
  std::vector<std::uint32_t> index(static_cast<std::size_t>(a.classes) * b.classes, kNone);
  for (std::size_t byte = 0; byte < 256; ++byte) {
    std::uint32_t& c = index[static_cast<std::size_t>(a.class_of[byte]) * b.classes + b.class_of[byte]];
    if (c == kNone) {
      c = static_cast<std::uint32_t>(own.size());
      own.emplace_back(a.class_of[byte], b.class_of[byte]);
    }
    dfa.class_of[byte] = static_cast<std::uint8_t>(c);
  }
  dfa.classes = static_cast<std::uint32_t>(own.size());

  Interned<std::uint64_t> pairs;
  const auto number = [&](std::uint32_t sa, std::uint32_t sb) {
    const std::uint64_t pair = static_cast<std::uint64_t>(sa) << 32 | sb;
    return worth(sa != kNone, sb != kNone) ? pairs.add({&pair, 1}).first : kNone;
  };
  number(start(a), start(b));
  for (std::uint32_t at = 0; at < pairs.size(); ++at) {
    const auto sa = static_cast<std::uint32_t>(pairs[at][0] >> 32);
    const auto sb = static_cast<std::uint32_t>(pairs[at][0]);
    dfa.label.push_back(accepted(accepts(a, sa), accepts(b, sb)) ? 1 : 0);
    if (pairs.size() > kMostStates || dfa.next.size() > kMostCells) return too_large();
    for (const auto& [ca, cb] : own) dfa.next.push_back(number(next_of(a, sa, ca), next_of(b, sb, cb)));
  }
  return minimised(std::move(dfa));
}

// Of texts with between `least` and `most` characters, whatever their bytes are. Not trimmed.
Dfa lengths(std::uint32_t least, std::uint32_t most) {
  Dfa dfa;
  dfa.classes = 2;
  for (std::size_t byte = 0; byte < 256; ++byte)
    dfa.class_of[byte] = begins_code_point(static_cast<char>(byte)) ? 1 : 0;
  // Counted up to where the count matters.
  const std::uint32_t last = most == kNone ? least : most;
  for (std::uint32_t characters = 0; characters <= last; ++characters) {
    dfa.label.push_back(characters >= least ? 1 : 0);
    dfa.next.push_back(characters);
    dfa.next.push_back(characters < last ? characters + 1 : most == kNone ? last : kNone);
  }
  return dfa;
}

Dfa make_any_text() {
  Nfa nfa;
  const Nfa::State state = nfa.add_state();
  nfa.accept(state);
  nfa.add_code_points(state, {{0, kLastCodePoint}}, state);
  auto dfa = determinised(nfa);
  return dfa.ok() ? std::move(dfa).value() : Dfa{};
}

}  // namespace

Dfa literal(std::string_view text) {
  return any_of(std::vector<std::string>{std::string(text)}).value();
}

Result<Dfa> any_of(std::span<const std::string> texts) {
  if (texts.empty()) return Dfa{};
  Dfa trie;
  for (const std::string& text : texts) {
    for (const char c : text) {
      std::uint8_t& own = trie.class_of[static_cast<unsigned char>(c)];
      if (own == 0) own = static_cast<std::uint8_t>(trie.classes++);
    }
  }
  const auto add_state = [&trie] {
    trie.label.push_back(0);
    trie.next.resize(trie.next.size() + trie.classes, kNone);
    return trie.states() - 1;
  };
  add_state();
  for (const std::string& text : texts) {
    std::uint32_t at = 0;
    for (const char c : text) {
      const std::size_t edge = std::size_t{at} * trie.classes + trie.class_of[static_cast<unsigned char>(c)];
      std::uint32_t next = trie.next[edge];
      if (next == kNone) {
        if (trie.states() >= kMostStates || trie.next.size() > 4 * kMostCells) return too_large();
        next = add_state();
        trie.next[edge] = next;
      }
      at = next;
    }
    trie.label[at] = 1;
  }
  return minimised(std::move(trie));
}

Dfa any_text() {
  static const Dfa every = make_any_text();
  return every;
}

Result<Dfa> intersection(const Dfa& a, const Dfa& b) {
  const auto both = [](bool in_a, bool in_b) { return in_a && in_b; };
  return product(a, b, both, both);
}

Result<Dfa> united(const Dfa& a, const Dfa& b) {
  const auto either = [](bool in_a, bool in_b) { return in_a || in_b; };
  return product(a, b, either, either);
}

Result<Dfa> difference(const Dfa& a, const Dfa& b) {
  return product(
      a, b, [](bool in_a, bool) { return in_a; }, [](bool in_a, bool in_b) { return in_a && !in_b; });
}

std::uint32_t text_count(const Dfa& dfa) {
  if (dfa.empty()) return 0;
  std::vector<std::uint64_t> bytes_of(dfa.classes, 0);
  for (const std::uint8_t c : dfa.class_of) ++bytes_of[c];
  std::vector<std::uint64_t> texts(dfa.states(), kNone);
  const DfaRows rows(dfa);
  for (const std::uint32_t state : finite_states(rows, predecessors_of(rows))) {
    texts[state] = dfa.label[state] != 0 ? 1 : 0;
    for (std::uint32_t c = 0; c < dfa.classes; ++c) {
      const std::uint32_t next = next_of(dfa, state, static_cast<std::uint8_t>(c));
      if (next != kNone)
        texts[state] = std::min<std::uint64_t>(texts[state] + bytes_of[c] * texts[next], kNone);
    }
  }
  return static_cast<std::uint32_t>(texts[0]);
}

Result<Dfa> with_length(const Dfa& language, std::uint32_t least, std::uint32_t most) {
  // Texts of a language without a cycle have fewer characters than kMostStates; of one with a cycle so many
  // characters are too large.
  return intersection(
      language, lengths(std::min(least, kMostStates), most == kNone ? kNone : std::min(most, kMostStates)));
}

}  // namespace emberline::grammar
