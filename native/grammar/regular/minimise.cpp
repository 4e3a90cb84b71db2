#include "grammar/regular/minimise.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "grammar/regular/interned.h"
#include "grammar/regular/partition_refinement.h"

namespace emberline::grammar {
namespace {

constexpr int kRoundsByHash = 4;

std::span<const std::uint32_t> row(const Dfa& dfa, std::uint32_t state) {
  return {dfa.next.data() + static_cast<std::size_t>(state) * dfa.classes, dfa.classes};
}

// Edges against their direction, all states in one array.
struct Predecessors {
  std::vector<std::uint32_t> begin;  // [states + 1]
  std::vector<std::uint32_t> tails;

  explicit Predecessors(const Dfa& dfa) : begin(dfa.states() + 1, 0) {
    for (const std::uint32_t to : dfa.next) {
      if (to != kNone) ++begin[to];
    }
    std::uint32_t sum = 0;
    for (std::uint32_t& count : begin) sum += std::exchange(count, sum);
    tails.resize(sum);
    std::vector<std::uint32_t> at(begin.begin(), begin.end() - 1);
    for (std::uint32_t state = 0; state < dfa.states(); ++state) {
      for (const std::uint32_t to : row(dfa, state)) {
        if (to != kNone) tails[at[to]++] = state;
      }
    }
  }
  std::span<const std::uint32_t> of(std::uint32_t state) const {
    return {tails.data() + begin[state], begin[state + 1] - begin[state]};
  }
};

// Takes away the edges to states from which no accepting one is reached. Whether there were any.
bool cut_dead_edges(Dfa& dfa, const Predecessors& predecessors) {
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
// apart at once, from the ends of their texts backwards; the others by a few rounds of comparing successors,
// which is all that tries take, then by refinement.
class Equivalence {
 public:
  explicit Equivalence(const Dfa& dfa) : dfa_(dfa), block_(dfa.states(), kNone) {}

  std::vector<std::uint32_t> blocks(const Predecessors& predecessors) && {
    finite(predecessors);
    for (std::uint32_t state = 0; state < dfa_.states(); ++state) {
      if (block_[state] == kNone) rest_.push_back(state);
    }
    if (!rest_.empty()) infinite();
    return std::move(block_);
  }

 private:
  void finite(const Predecessors& predecessors) {
    std::vector<std::uint32_t> unseen(dfa_.states(), 0);  // edges to states without a block
    std::vector<std::uint32_t> ready;
    for (std::uint32_t state = 0; state < dfa_.states(); ++state) {
      for (const std::uint32_t to : row(dfa_, state)) unseen[state] += to != kNone;
      if (unseen[state] == 0) ready.push_back(state);
    }
    Interned<std::uint32_t> seen;
    while (!ready.empty()) {
      const std::uint32_t state = ready.back();
      ready.pop_back();
      block_[state] = seen.add(signature(state)).first;
      for (const std::uint32_t tail : predecessors.of(state)) {
        if (--unseen[tail] == 0) ready.push_back(tail);
      }
    }
    finite_blocks_ = seen.size();
  }

  void infinite() {
    Interned<std::uint32_t> labels;
    for (const std::uint32_t state : rest_) {
      block_[state] = finite_blocks_ + labels.add({&dfa_.label[state], 1}).first;
    }
    std::uint32_t count = labels.size();
    std::vector<std::uint32_t> refined(rest_.size());
    for (int round = 0; round < kRoundsByHash; ++round) {
      Interned<std::uint32_t> seen;
      for (std::size_t i = 0; i < rest_.size(); ++i) {
        refined[i] = finite_blocks_ + seen.add(signature(rest_[i], block_[rest_[i]])).first;
      }
      for (std::size_t i = 0; i < rest_.size(); ++i) block_[rest_[i]] = refined[i];
      const bool stable = seen.size() == count;
      count = seen.size();
      if (stable || count == rest_.size()) return;
    }
    refine(dfa_, block_);
  }

  std::span<const std::uint32_t> signature(std::uint32_t state, std::uint32_t own = 0) {
    signature_.assign({own, dfa_.label[state]});
    for (const std::uint32_t to : row(dfa_, state)) signature_.push_back(to == kNone ? kNone : block_[to]);
    return signature_;
  }

  const Dfa& dfa_;
  std::vector<std::uint32_t> block_;
  std::vector<std::uint32_t> rest_;
  std::vector<std::uint32_t> signature_;
  std::uint32_t finite_blocks_ = 0;
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
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const std::uint32_t state = reached[i];
    result.label.push_back(dfa.label[state]);
    const auto from = row(dfa, state);
    for (const std::uint32_t c : order) next.push_back(from[c] == kNone ? kNone : number_of(from[c]));
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

Dfa minimised(Dfa dfa) {
  if (dfa.empty()) return {};
  Predecessors predecessors(dfa);
  if (cut_dead_edges(dfa, predecessors)) {
    if (dfa.empty()) return {};
    predecessors = Predecessors(dfa);
  }
  return quotient(dfa, Equivalence(dfa).blocks(predecessors));
}

}  // namespace emberline::grammar
