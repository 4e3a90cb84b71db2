#include "grammar/regular/dfa_operations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "grammar/regular/minimise.h"
#include "grammar/regular/nfa.h"
#include "grammar/regular/short_texts.h"
#include "grammar/regular/shortest_text.h"

namespace emberline::grammar {
namespace {

using testing::short_texts;
using testing::shortest;

constexpr std::string_view kPieces[] = {"a", "b", "\u00e9"};

// Every state is reached, and an accepting one is reached from it; no two states or classes do the same.
void expect_trimmed_and_minimal(const Dfa& dfa) {
  EXPECT_EQ(dfa, minimised(dfa));
  ASSERT_EQ(dfa.next.size(), static_cast<std::size_t>(dfa.states()) * dfa.classes);
  // Moore's algorithm, the plain way.
  std::vector<std::uint32_t> block(dfa.label);
  for (std::size_t count = 0;;) {
    std::map<std::string, std::uint32_t> blocks;
    std::vector<std::uint32_t> refined;
    for (std::uint32_t state = 0; state < dfa.states(); ++state) {
      std::vector<std::uint32_t> row = {block[state]};
      for (std::uint32_t c = 0; c < dfa.classes; ++c) {
        const std::uint32_t to = dfa.next[state * dfa.classes + c];
        row.push_back(to == kNone ? kNone : block[to]);
      }
      // As bytes: the library compares those, and what is compiled for a test is not optimised.
      std::string key(reinterpret_cast<const char*>(row.data()), row.size() * sizeof row[0]);
      const auto next = static_cast<std::uint32_t>(blocks.size());
      refined.push_back(blocks.try_emplace(std::move(key), next).first->second);
    }
    block = refined;
    if (blocks.size() == count) break;
    count = blocks.size();
  }
  EXPECT_EQ(std::set<std::uint32_t>(block.begin(), block.end()).size(), dfa.states());
}

// Adds a random automaton over kPieces, made of texts, unions, concatenations and repetitions.
void add_random(Nfa& nfa, std::mt19937& random, int depth, Nfa::State from, Nfa::State to) {
  const auto below = [&](std::size_t n) { return random() % n; };
  const auto add = [&](Nfa::State before, Nfa::State behind) {
    add_random(nfa, random, depth - 1, before, behind);
  };
  switch (depth == 0 ? 0 : below(5)) {
    case 0: return nfa.add_text(from, kPieces[below(3)], to);
    case 1:
      return nfa.add_sequence(from, std::array{0, 1}, to,
                              [&](int, Nfa::State before, Nfa::State behind) { add(before, behind); });
    case 2: add(from, to); return add(from, to);
    case 3: return nfa.add_repeat(from, static_cast<std::uint32_t>(below(3)), kNone, to, add);
    default: return nfa.add_repeat(from, 0, 1, to, add);
  }
}

Dfa random_language(std::mt19937& random) {
  Nfa nfa;
  const Nfa::State start = nfa.add_state(), end = nfa.add_state();
  nfa.set_start(start);
  add_random(nfa, random, 4, start, end);
  nfa.accept(end);
  auto dfa = determinised(nfa);
  EXPECT_TRUE(dfa.ok());
  return dfa.value();
}

TEST(DfaOperations, LiteralIsItsText) {
  const Dfa dfa = literal("ab\u00e9");
  EXPECT_EQ(dfa.match("ab\u00e9"), 1u);
  for (const char* text : {"", "a", "ab", "ab\u00e9\u00e9", "ab\u00e8", "b"}) EXPECT_EQ(dfa.match(text), 0u);
  expect_trimmed_and_minimal(dfa);
  EXPECT_EQ(literal("").match(""), 1u);
  EXPECT_EQ(literal("").match("a"), 0u);
}

TEST(DfaOperations, AnyTextIsValidUtf8) {
  const Dfa dfa = any_text();
  expect_trimmed_and_minimal(dfa);
  for (const char* text : {"", "a", "\x7f", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff",
                           "\U00010000", "\U0010ffff", "a\u00e9\U0001f600z"}) {
    EXPECT_EQ(dfa.match(text), 1u) << text;
  }
  EXPECT_EQ(dfa.match(std::string_view("\0", 1)), 1u);
  for (const char* text :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe2\x82", "\xc3\xa9\xa9"}) {
    EXPECT_EQ(dfa.match(text), 0u);
  }
}

TEST(DfaOperations, AgreeWithSetsOfTexts) {
  std::mt19937 random(1);
  const std::vector<std::string> texts = short_texts(kPieces, 6);
  for (int round = 0; round < 150; ++round) {
    const Dfa a = random_language(random), b = random_language(random);
    const auto both = intersection(a, b), either = united(a, b), first = difference(a, b);
    const auto others = difference(any_text(), a);
    ASSERT_TRUE(both.ok() && either.ok() && first.ok() && others.ok());
    bool subset = true, apart = true;
    for (const std::string& text : texts) {
      const bool in_a = a.match(text) != 0, in_b = b.match(text) != 0;
      ASSERT_EQ(both.value().match(text), in_a && in_b ? 1u : 0u) << text;
      ASSERT_EQ(either.value().match(text), in_a || in_b ? 1u : 0u) << text;
      ASSERT_EQ(first.value().match(text), in_a && !in_b ? 1u : 0u) << text;
      ASSERT_EQ(others.value().match(text), in_a ? 0u : 1u) << text;
      subset = subset && (!in_a || in_b);
      apart = apart && !(in_a && in_b);
    }
    for (const auto* result : {&both, &either, &first, &others}) expect_trimmed_and_minimal(result->value());
    EXPECT_TRUE(subset || !first.value().empty());
    EXPECT_TRUE(apart || !both.value().empty());
  }
}

void add_language(Nfa& nfa, const Dfa& dfa, Nfa::State from, Nfa::State to) {
  std::vector<Nfa::State> own(dfa.states());
  for (Nfa::State& state : own) state = nfa.add_state();
  if (!dfa.empty()) nfa.add_epsilon(from, own[0]);
  for (std::uint32_t state = 0; state < dfa.states(); ++state) {
    if (dfa.label[state] != 0) nfa.add_epsilon(own[state], to);
    for (int byte = 0; byte < 256; ++byte) {
      const auto each = static_cast<std::uint8_t>(byte);
      const std::uint32_t next = dfa.step(state, each);
      if (next != kNone) nfa.add_bytes(own[state], each, each, own[next]);
    }
  }
}

Result<Dfa> concatenation(const Dfa& a, const Dfa& b) {
  Nfa nfa;
  const Nfa::State start = nfa.add_state(), end = nfa.add_state();
  nfa.set_start(start);
  nfa.add_sequence(start, std::array{&a, &b}, end, [&](const Dfa* dfa, Nfa::State from, Nfa::State to) {
    add_language(nfa, *dfa, from, to);
  });
  nfa.accept(end);
  return determinised(nfa);
}

TEST(DfaOperations, ConcatenationAgreesWithSplits) {
  std::mt19937 random(2);
  const std::vector<std::string> texts = short_texts(kPieces, 5);
  for (int round = 0; round < 100; ++round) {
    const Dfa a = random_language(random), b = random_language(random);
    const auto both = concatenation(a, b);
    ASSERT_TRUE(both.ok());
    expect_trimmed_and_minimal(both.value());
    for (const std::string& text : texts) {
      bool split = false;
      for (std::size_t at = 0; at <= text.size(); ++at) {
        split = split || (a.match(text.substr(0, at)) != 0 && b.match(text.substr(at)) != 0);
      }
      ASSERT_EQ(both.value().match(text) != 0, split) << text;
    }
  }
}

TEST(DfaOperations, EqualLanguagesHaveEqualAutomata) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    const Dfa a = random_language(random), b = random_language(random);
    // a = (a and b) or (a and not b)
    const auto whole = united(intersection(a, b).value(), difference(a, b).value());
    ASSERT_TRUE(whole.ok());
    EXPECT_EQ(whole.value(), a);
  }
}

TEST(DfaOperations, ShortestIsTheFirstOfTheShortest) {
  std::mt19937 random(4);
  const std::vector<std::string> texts = short_texts(kPieces, 6);
  for (int round = 0; round < 100; ++round) {
    const Dfa a = random_language(random);
    const auto found = shortest(a);
    ASSERT_TRUE(found.has_value());
    EXPECT_NE(a.match(*found), 0u);
    for (const std::string& text : texts) {
      if (a.match(text) == 0) continue;
      EXPECT_TRUE(found->size() < text.size() || (found->size() == text.size() && *found <= text)) << text;
    }
  }
  EXPECT_FALSE(shortest(Dfa{}).has_value());
  EXPECT_EQ(shortest(literal("xyz")), "xyz");
}

TEST(DfaOperations, AnyOfTexts) {
  const std::vector<std::string> texts = {"car", "cat", "", "bar", "bat", "cat", "\u00e9", "\u00e8"};
  const auto dfa = any_of(texts);
  ASSERT_TRUE(dfa.ok());
  expect_trimmed_and_minimal(dfa.value());
  for (const std::string& text : texts) EXPECT_EQ(dfa.value().match(text), 1u);
  for (const char* text : {"c", "ca", "cab", "cart", "\u00ea"}) EXPECT_EQ(dfa.value().match(text), 0u);
  const auto none = any_of({});
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none.value().empty());
}

TEST(DfaOperations, AnyOfTextsIsTheirUnion) {
  std::mt19937 random(5);
  const std::vector<std::string> texts = short_texts(kPieces, 4);
  for (int round = 0; round < 40; ++round) {
    std::vector<std::string> some;
    Dfa one_by_one;
    for (std::size_t i = random() % 12; i-- > 0;) {
      some.push_back(texts[random() % texts.size()]);
      one_by_one = united(one_by_one, literal(some.back())).value();
    }
    const auto dfa = any_of(some);
    ASSERT_TRUE(dfa.ok());
    EXPECT_EQ(dfa.value(), one_by_one);
    EXPECT_EQ(text_count(one_by_one), std::set<std::string>(some.begin(), some.end()).size());
  }
  std::vector<std::string> many;
  for (int i = 0; i < 60; ++i) many.push_back(std::to_string(i) + std::string(2'000, 'a'));
  EXPECT_EQ(any_of(many).code(), ErrorCode::kGrammarTooLarge);
}

TEST(DfaOperations, TextsAreCounted) {
  EXPECT_EQ(text_count(Dfa{}), 0u);
  EXPECT_EQ(text_count(literal("")), 1u);
  EXPECT_EQ(text_count(any_text()), kNone);
  EXPECT_EQ(text_count(with_length(any_text(), 0, 1).value()), 1u + 0x110000u - 0x800u);
  EXPECT_EQ(text_count(with_length(any_text(), 0, 2).value()), kNone);
}

TEST(DfaOperations, LengthsAreOfCharacters) {
  const std::vector<std::string> texts =
      short_texts(std::vector<std::string_view>{"a", "\u00e9", "\u20ac", "\U0001f600"}, 5);
  for (const auto& [least, most] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {0, 0}, {0, 3}, {2, 4}, {3, 3}, {0, kNone}, {2, kNone}, {4, 2}}) {
    const auto dfa = with_length(any_text(), least, most);
    ASSERT_TRUE(dfa.ok());
    expect_trimmed_and_minimal(dfa.value());
    for (const std::string& text : texts) {
      const auto length = std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
      EXPECT_EQ(dfa.value().match(text) != 0, length >= least && length <= most) << text;
    }
  }
  EXPECT_EQ(with_length(any_text(), 0, kNone).value(), any_text());
  EXPECT_EQ(with_length(any_text(), 0, 1u << 20).code(), ErrorCode::kGrammarTooLarge);
  EXPECT_EQ(with_length(any_text(), 0, 60'000).code(), ErrorCode::kGrammarTooLarge);
}

TEST(DfaOperations, LengthsOfALanguage) {
  std::mt19937 random(6);
  const std::vector<std::string> texts = short_texts(kPieces, 6);
  for (int round = 0; round < 60; ++round) {
    const Dfa language = random_language(random);
    const auto least = static_cast<std::uint32_t>(random() % 5);
    const std::uint32_t most = round % 3 == 0 ? kNone : least + static_cast<std::uint32_t>(random() % 3);
    const auto dfa = with_length(language, least, most);
    ASSERT_TRUE(dfa.ok());
    expect_trimmed_and_minimal(dfa.value());
    EXPECT_EQ(dfa.value(), intersection(language, with_length(any_text(), least, most).value()).value());
    for (const std::string& text : texts) {
      const auto length = std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
      EXPECT_EQ(dfa.value().match(text), length >= least && length <= most ? language.match(text) : 0)
          << text;
    }
  }
}

TEST(DfaOperations, ClassifyNamesTheLanguagesOfAText) {
  std::mt19937 random(5);
  const std::vector<std::string> texts = short_texts(kPieces, 5);
  for (int round = 0; round < 60; ++round) {
    std::vector<Dfa> languages;
    for (auto i = random() % 3; i > 0; --i) languages.push_back(random_language(random));
    for (auto i = random() % 8; i > 0; --i) languages.push_back(literal(texts[random() % 60]));
    if (random() % 2 == 0) languages.push_back(any_text());
    if (random() % 4 == 0) languages.emplace_back();
    std::shuffle(languages.begin(), languages.end(), random);
    const auto classified = classify(languages);
    ASSERT_TRUE(classified.ok());
    const Classified& result = classified.value();
    expect_trimmed_and_minimal(result.dfa);
    std::set<std::vector<std::uint32_t>> distinct(result.sets.begin(), result.sets.end());
    EXPECT_EQ(distinct.size(), result.sets.size());
    for (const std::string& text : texts) {
      std::vector<std::uint32_t> of;
      for (std::uint32_t i = 0; i < languages.size(); ++i) {
        if (languages[i].match(text) != 0) of.push_back(i);
      }
      const std::uint32_t label = result.dfa.match(text);
      ASSERT_LE(label, result.sets.size());
      ASSERT_EQ(label == 0 ? std::vector<std::uint32_t>{} : result.sets[label - 1], of) << text;
    }
  }
}

TEST(DfaOperations, ClassifyLeavesNoTextOut) {
  std::mt19937 random(7);
  std::vector<Dfa> languages;
  for (int i = 0; i < 5'000; ++i) {
    std::string text;
    for (int c = 0; c < 16; ++c) text += static_cast<char>('a' + random() % 26);
    languages.push_back(literal(text));
  }
  EXPECT_EQ(classify(languages).code(), ErrorCode::kGrammarTooLarge);
  languages.resize(2'000);
  const auto classified = classify(languages);
  ASSERT_TRUE(classified.ok());
  EXPECT_EQ(classified.value().sets.size(), languages.size());
}

TEST(DfaOperations, LabelsOfRulesAreToldApart) {
  Nfa nfa;
  const Nfa::State start = nfa.add_state(), a = nfa.add_state(), b = nfa.add_state();
  nfa.set_start(start);
  nfa.add_text(start, "x", a);
  nfa.add_text(start, "y", b);
  nfa.add_bytes(start, 'w', 'x', b);
  nfa.accept(a, 2);
  nfa.accept(b, 3);
  const auto dfa = determinised(nfa);
  ASSERT_TRUE(dfa.ok());
  EXPECT_EQ(dfa.value().match("x"), 2u);
  EXPECT_EQ(dfa.value().match("y"), 3u);
  EXPECT_EQ(dfa.value().match("w"), 3u);
  EXPECT_EQ(dfa.value().match("z"), 0u);
}

// Of long chains that lead into a cycle states are told apart one after the other.
TEST(DfaOperations, LongChainsBeforeACycleAreMinimal) {
  for (const std::uint32_t length : {1u, 3u, 50u, 400u}) {
    const auto dfa = with_length(any_text(), length, kNone);
    ASSERT_TRUE(dfa.ok());
    expect_trimmed_and_minimal(dfa.value());
  }
  // Two branches to one chain.
  Nfa nfa;
  const Nfa::State start = nfa.add_state();
  nfa.set_start(start);
  for (const std::string_view lead : {"p", "qr", "pq"}) {
    Nfa::State at = nfa.add_state();
    nfa.add_text(start, lead, at);
    for (int i = 0; i < 40; ++i) {
      const Nfa::State next = nfa.add_state();
      nfa.add_bytes(at, 'a', 'c', next);
      at = next;
    }
    nfa.add_bytes(at, 'x', 'x', at);
    nfa.accept(at);
  }
  const auto dfa = determinised(nfa);
  ASSERT_TRUE(dfa.ok());
  expect_trimmed_and_minimal(dfa.value());
  EXPECT_LE(dfa.value().states(), 45u);
}

TEST(DfaOperations, WhatIsTooLargeIsRefused) {
  // The n-th character from the end: 2^n states.
  Nfa nfa;
  const Nfa::State start = nfa.add_state();
  nfa.set_start(start);
  nfa.add_bytes(start, 'a', 'b', start);
  Nfa::State at = nfa.add_state();
  nfa.add_bytes(start, 'a', 'a', at);
  for (int i = 0; i < 20; ++i) {
    const Nfa::State next = nfa.add_state();
    nfa.add_bytes(at, 'a', 'b', next);
    at = next;
  }
  nfa.accept(at);
  EXPECT_EQ(determinised(nfa).code(), ErrorCode::kGrammarTooLarge);

  Nfa many;
  while (!many.full()) many.add_state();
  many.add_epsilon(0, 1);
  EXPECT_EQ(determinised(many).code(), ErrorCode::kGrammarTooLarge);
}

}  // namespace
}  // namespace emberline::grammar
