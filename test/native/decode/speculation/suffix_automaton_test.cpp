// The suffix automaton against a search that looks at every position.
#include "decode/speculation/suffix_automaton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace emberline::testing {
namespace {

// The length of the longest common suffix of text[0, end) and other[0, other_end).
std::size_t common_suffix(const std::vector<TokenId>& text, std::size_t end,
                          const std::vector<TokenId>& other, std::size_t other_end) {
  std::size_t length = 0;
  while (length < end && length < other_end && text[end - 1 - length] == other[other_end - 1 - length]) {
    ++length;
  }
  return length;
}

std::size_t longest_repeat(const std::vector<TokenId>& text) {
  std::size_t longest = 0;
  for (std::size_t end = 0; end < text.size(); ++end) {
    longest = std::max(longest, common_suffix(text, text.size(), text, end));
  }
  return longest;
}

std::vector<TokenId> random_text(std::mt19937_64& random, std::size_t length, std::uint64_t letters) {
  std::vector<TokenId> text;
  while (text.size() < length) {
    const bool copied = text.size() > 4 && random() % 3 == 0;
    if (copied) {
      const std::size_t from = random() % text.size();
      const std::size_t count = 1 + random() % 12;
      for (std::size_t i = from; i < std::min(from + count, text.size()); ++i) text.push_back(text[i]);
    } else {
      text.push_back(static_cast<TokenId>(random() % letters));
    }
  }
  return text;
}

TEST(SuffixAutomaton, KnowsTheLongestSuffixThatOccurredBefore) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::vector<TokenId> text = random_text(random, 80, 1 + random() % 6);
    SuffixAutomaton automaton;
    if (round % 3 == 0) automaton.reserve(text.size());
    std::vector<TokenId> seen;
    for (const TokenId token : text) {
      automaton.extend(token);
      seen.push_back(token);
      const auto match = automaton.repeated_suffix();
      ASSERT_EQ(match.length, longest_repeat(seen)) << "round " << round << ", token " << seen.size();
      if (match.length > 0) {
        ASSERT_LT(match.end, seen.size());
        ASSERT_GE(common_suffix(seen, seen.size(), seen, match.end), match.length);
      }
    }
  }
}

TEST(SuffixAutomaton, OfSeveralOccurrencesTakesTheLast) {
  SuffixAutomaton automaton;
  for (const TokenId token : {1u, 2u, 3u, 1u, 2u, 4u, 1u, 2u}) automaton.extend(token);
  EXPECT_EQ(automaton.repeated_suffix().length, 2u);
  EXPECT_EQ(automaton.repeated_suffix().end, 5u) << "the token 4 followed last time";
}

TEST(SuffixAutomaton, FollowsAnotherSequence) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t letters = 1 + random() % 6;
    const std::vector<TokenId> text = random_text(random, 120, letters);
    SuffixAutomaton automaton;
    for (const TokenId token : text) automaton.extend(token);
    SuffixAutomaton::Cursor cursor(automaton);
    std::vector<TokenId> other;
    for (const TokenId token : random_text(random, 60, letters + 1)) {
      cursor.advance(token);
      other.push_back(token);
      std::size_t longest = 0;
      for (std::size_t end = 0; end <= text.size(); ++end) {
        longest = std::max(longest, common_suffix(other, other.size(), text, end));
      }
      const auto match = cursor.match();
      ASSERT_EQ(match.length, longest) << "round " << round << ", token " << other.size();
      if (longest > 0) {
        ASSERT_GE(common_suffix(other, other.size(), text, match.end), longest);
      }
    }
  }
}

TEST(SuffixAutomaton, TakesLinearSpace) {
  // abab...: the text with the most states for its length has fewer than 2 n of them; growing tables are
  // found again after each doubling.
  SuffixAutomaton automaton;
  for (TokenId i = 0; i < 20'000; ++i) automaton.extend(i % 2);
  EXPECT_EQ(automaton.repeated_suffix().length, 19'998u);
  automaton.clear();
  EXPECT_EQ(automaton.repeated_suffix().length, 0u);
  EXPECT_TRUE(automaton.sequence().empty());
}

}  // namespace
}  // namespace emberline::testing
