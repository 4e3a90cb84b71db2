#include "grammar/regular/minimise.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "grammar/regular/dfa_rows.h"
#include "grammar/regular/interned.h"
#include "grammar/regular/partition_refinement.h"

namespace emberline::grammar {
namespace {

std::span<const std::uint32_t> row(const Dfa& dfa, std::uint32_t state) {
  return {dfa.next.data() + static_cast<std::size_t>(state) * dfa.classes, dfa.classes};
}

// Takes away the edges to states from which no accepting one is reached. Whether there were any.
bool cut_dead_edges(Dfa& dfa, const Grouped& predecessors) {
  std::vector<std::uint8_t> live(dfa.states(), 0);
  std::vector<std::uint32_t> stack;
  for (std::uint32_t state = 0; state < dfa.states(); ++state) {
    if (dfa.label[state] == 0) continue;
    live[state] = 1;
    stack.push_back(state);
  }
  std::size_t count = stack.size();
  while (!stack.empty()) {
    const std::uint32_t state = stack.back();
    stack.pop_back();
    for (const std::uint32_t tail : predecessors.of(state)) {
      if (live[tail]) continue;
      live[tail] = 1;
      ++count;
      stack.push_back(tail);
    }
  }
  if (count == dfa.states()) return false;
  for (std::uint32_t& to : dfa.next) {
    if (to != kNone && !live[to]) to = kNone;
  }
  if (!live[0]) dfa.label.clear();
  return true;
}

// Blocks of equivalent states, by state. States from which only finitely many texts are accepted are told
// apart at once, from the ends of their texts backwards; the others by refinement.
class Equivalence {
 public:
  Equivalence(const Dfa& dfa, const DfaRows& rows, const Grouped& predecessors)
      : dfa_(dfa), rows_(rows), predecessors_(predecessors), block_(dfa.states(), kNone) {}

  std::vector<std::uint32_t> blocks() && {
    const std::uint32_t finite_blocks = finite();
    Interned<std::uint32_t> labels;
    for (std::uint32_t state = 0; state < dfa_.states(); ++state) {
      if (block_[state] == kNone) block_[state] = finite_blocks + labels.add({&dfa_.label[state], 1}).first;
    }
    if (labels.size() > 0) refine(rows_, predecessors_, block_, finite_blocks);
    return std::move(block_);
  }

 private:
  // How many blocks there are of states with finitely many texts.
  std::uint32_t finite() {
    Interned<std::uint64_t> seen;
    std::vector<std::uint64_t> signature;  // its label and what it does
    for (const std::uint32_t state : finite_states(rows_, predecessors_)) {
      signature.assign(1, dfa_.label[state]);
      append_row(rows_, state, block_, signature);
      block_[state] = seen.add(signature).first;
    }
    return seen.size();
  }

  const Dfa& dfa_;
  const DfaRows& rows_;
  const Grouped& predecessors_;
  std::vector<std::uint32_t> block_;
};

// The automaton of the blocks: those reached, breadth first, byte classes that do the same made one.
Dfa quotient(const Dfa& dfa, const std::vector<std::uint32_t>& block_of) {
  // Classes in the order of their first bytes.
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> listed(dfa.classes, 0);
  for (const std::uint8_t c : dfa.class_of) {
    if (!std::exchange(listed[c], 1)) order.push_back(c);
  }
  const std::uint32_t blocks = block_of.empty() ? 0 : *std::ranges::max_element(block_of) + 1;
  std::vector<std::uint32_t> number(blocks, kNone);
  std::vector<std::uint32_t> reached;  // a state of each block, by its new number
  const auto number_of = [&](std::uint32_t state) {
    std::uint32_t& n = number[block_of[state]];
    if (n == kNone) {
      n = static_cast<std::uint32_t>(reached.size());
      reached.push_back(state);
    }
    return n;
  };
  Dfa result;
  if (dfa.empty()) return result;
  number_of(0);
  std::vector<std::uint32_t> next;
  next.reserve(static_cast<std::size_t>(blocks) * order.size());
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const std::uint32_t state = reached[i];
    result.label.push_back(dfa.label[state]);
    const auto from = row(dfa, state);
    std::uint32_t last = kNone, last_number = kNone;  // neighbours mostly lead to one state
    for (const std::uint32_t c : order) {
      if (from[c] != last) {
        last = from[c];
        last_number = last == kNone ? kNone : number_of(last);
      }
      next.push_back(last_number);
    }
  }

  // Columns that are equal: those of one hash are looked at, which goes along the rows.
  const std::size_t width = order.size(), states = result.label.size();
  std::vector<std::uint64_t> hash(width, 0);
  for (std::size_t state = 0; state < states; ++state) {
    for (std::size_t i = 0; i < width; ++i) hash[i] = (hash[i] ^ next[state * width + i]) * 0x100000001B3u;
  }
  const auto same = [&](std::size_t i, std::size_t j) {
    if (hash[i] != hash[j]) return false;
    for (std::size_t at = 0; at < next.size(); at += width) {
      if (next[at + i] != next[at + j]) return false;
    }
    return true;
  };
  std::vector<std::uint32_t> merged(dfa.classes, 0);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < width; ++i) {
    const auto found = std::ranges::find_if(kept, [&](std::size_t each) { return same(each, i); });
    merged[order[i]] = static_cast<std::uint32_t>(found - kept.begin());
    if (found == kept.end()) kept.push_back(i);
  }
  for (std::size_t byte = 0; byte < 256; ++byte) {
    result.class_of[byte] = static_cast<std::uint8_t>(merged[dfa.class_of[byte]]);
  }
  result.classes = static_cast<std::uint32_t>(kept.size());
  if (kept.size() == width) {
    result.next = std::move(next);
    return result;
  }
  result.next.reserve(states * kept.size());
  for (std::size_t state = 0; state < states; ++state) {
    for (const std::size_t i : kept) result.next.push_back(next[state * width + i]);
  }
  return result;
}

}  // namespace

Dfa renumbered(const Dfa& dfa) {
  std::vector<std::uint32_t> own(dfa.states());
  std::iota(own.begin(), own.end(), 0u);
  return quotient(dfa, own);
}

Dfa trimmed(Dfa dfa) {
  if (!dfa.empty()) cut_dead_edges(dfa, predecessors_of(DfaRows(dfa)));
  return dfa.empty() ? Dfa{} : dfa;
}

Dfa minimised(Dfa dfa) {
  if (dfa.empty()) return {};
  DfaRows rows(dfa);
  Grouped predecessors = predecessors_of(rows);
  if (cut_dead_edges(dfa, predecessors)) {
    if (dfa.empty()) return {};
    rows = DfaRows(dfa);
    predecessors = predecessors_of(rows);
  }
  return quotient(dfa, Equivalence(dfa, rows, predecessors).blocks());
}

}  // namespace emberline::grammar
