#include "grammar/regular/minimise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "grammar/regular/dfa_rows.h"
#include "grammar/regular/partition_refinement.h"

namespace emberline::grammar {
namespace {

using Blocks = std::vector<std::uint32_t>;

// Numbered in the order in which they are first seen.
Blocks renumbered_blocks(const Blocks& blocks) {
  std::map<std::uint32_t, std::uint32_t> number;
  Blocks result;
  for (const std::uint32_t block : blocks)
    result.push_back(number.try_emplace(block, static_cast<std::uint32_t>(number.size())).first->second);
  return result;
}

Blocks by_label(const Dfa& dfa) {
  return renumbered_blocks(dfa.label);
}

// Moore's algorithm.
Blocks plain_blocks(const Dfa& dfa) {
  Blocks block = by_label(dfa);
  for (std::size_t count = 0;;) {
    std::map<std::string, std::uint32_t> known;
    Blocks refined;
    for (std::uint32_t state = 0; state < dfa.states(); ++state) {
      Blocks row = {block[state]};
      for (std::uint32_t c = 0; c < dfa.classes; ++c) {
        const std::uint32_t to = dfa.next[state * dfa.classes + c];
        row.push_back(to == kNone ? kNone : block[to]);
      }
      // As bytes: the library compares those, and what is compiled for a test is not optimised.
      std::string key(reinterpret_cast<const char*>(row.data()), row.size() * sizeof row[0]);
      const auto next = static_cast<std::uint32_t>(known.size());
      refined.push_back(known.try_emplace(std::move(key), next).first->second);
    }
    block = std::move(refined);
    if (known.size() == count) return renumbered_blocks(block);
    count = known.size();
  }
}

Dfa with_classes(std::uint32_t classes) {
  Dfa dfa;
  dfa.classes = classes;
  for (std::size_t byte = 0; byte < 256; ++byte)
    dfa.class_of[byte] = static_cast<std::uint8_t>(byte % classes);
  return dfa;
}

// Copies of a small automaton's states, each leading to any copy: many states do the same.
Dfa random_copies(std::mt19937& random) {
  const auto below = [&random](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  Dfa dfa = with_classes(1 + below(12));
  const std::uint32_t kinds = 1 + below(30), copies = 1 + below(6), labels = 1 + below(3);
  std::vector<Blocks> to(kinds, Blocks(dfa.classes));
  Blocks label(kinds);
  for (std::uint32_t kind = 0; kind < kinds; ++kind) {
    label[kind] = below(3) == 0 ? 1 + below(labels) : 0;
    for (std::uint32_t c = 0; c < dfa.classes; ++c) {
      const bool as_before = c > 0 && below(2) == 0;
      to[kind][c] = as_before ? to[kind][c - 1] : below(4) == 0 ? kNone : below(kinds);
    }
  }
  for (std::uint32_t state = 0; state < kinds * copies; ++state) {
    dfa.label.push_back(label[state % kinds]);
    for (const std::uint32_t kind : to[state % kinds])
      dfa.next.push_back(kind == kNone ? kNone : kind + kinds * below(copies));
  }
  return dfa;
}

// A cycle from whose marked state on states are told apart one after the other, and others that lead to each
// of them, so that they would be looked at again every time.
Dfa slow_to_compare() {
  constexpr std::uint32_t kCycle = 200, kOthers = 60;
  Dfa dfa = with_classes(kCycle);
  for (std::uint32_t state = 0; state < kCycle; ++state) {
    dfa.label.push_back(state == 0 ? 1 : 0);
    for (std::uint32_t c = 0; c < kCycle; ++c) dfa.next.push_back((state + 1) % kCycle);
  }
  for (std::uint32_t state = 0; state < kOthers; ++state) {
    dfa.label.push_back(0);
    for (std::uint32_t c = 0; c < kCycle; ++c)
      dfa.next.push_back(c == 1 ? kCycle + state / 2 * 2 : (c * 7 + state / 2) % kCycle);
  }
  return dfa;
}

void expect_plain_blocks(const Dfa& dfa) {
  const DfaRows rows(dfa);
  Blocks refined = by_label(dfa);
  refine(rows, predecessors_of(rows), refined, 0);
  EXPECT_EQ(renumbered_blocks(refined), plain_blocks(dfa));
}

TEST(Minimise, RefinementAgreesWithThePlainOne) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) expect_plain_blocks(random_copies(random));
}

TEST(Minimise, WhatIsSlowToCompareIsRefined) {
  const Dfa dfa = slow_to_compare();
  expect_plain_blocks(dfa);
  const Dfa least = minimised(dfa);
  EXPECT_EQ(least.states(), 200u);  // the others are not reached
}

TEST(Minimise, TrimmedLeavesWhatIsAccepted) {
  // 0 -a-> 1, accepting; 0 -b-> 2 -a, b-> 2, which leads nowhere.
  Dfa dfa = with_classes(2);
  dfa.next = {1, 2, kNone, kNone, 2, 2};
  dfa.label = {0, 1, 0};
  EXPECT_EQ(trimmed(dfa).next, (Blocks{1, kNone, kNone, kNone, kNone, kNone}));
  EXPECT_EQ(trimmed(dfa).label, dfa.label);
  dfa.label[1] = 0;
  EXPECT_TRUE(trimmed(dfa).empty());
  EXPECT_TRUE(trimmed(Dfa{}).empty());
}

TEST(Minimise, BlocksThatAreDoneAreNotSplit) {
  std::mt19937 random(12);
  for (int round = 0; round < 100; ++round) {
    const Dfa dfa = random_copies(random);
    Blocks block = plain_blocks(dfa);
    const std::uint32_t blocks = *std::ranges::max_element(block) + 1;
    const std::uint32_t done = 1 + static_cast<std::uint32_t>(random() % blocks);
    if (done == blocks) continue;
    // What is not done by label again.
    std::map<std::uint32_t, std::uint32_t> labels;
    Blocks begun = block;
    for (std::uint32_t state = 0; state < dfa.states(); ++state) {
      if (block[state] < done) continue;
      const auto next = static_cast<std::uint32_t>(done + labels.size());
      begun[state] = labels.try_emplace(dfa.label[state], next).first->second;
    }
    const DfaRows rows(dfa);
    refine(rows, predecessors_of(rows), begun, done);
    for (std::uint32_t state = 0; state < dfa.states(); ++state) {
      if (block[state] < done) {
        EXPECT_EQ(begun[state], block[state]);
      }
    }
    EXPECT_EQ(renumbered_blocks(begun), block);
  }
}

}  // namespace
}  // namespace emberline::grammar
