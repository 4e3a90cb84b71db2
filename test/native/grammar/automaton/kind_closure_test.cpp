// What a closure promises, against texts of its kinds, byte by byte.
#include "grammar/automaton/kind_closure.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grammar/automaton/random_text.h"
#include "grammar/automaton/terminal_guide.h"
#include "grammar/grammar.h"

namespace emberline::grammar::testing {
namespace {

ClosureSubject subject_of(const Terminal& terminal, const TerminalGuide& guide) {
  ClosureSubject subject{&terminal.dfa,
                         [](std::uint32_t) { return true; },
                         [&terminal](std::uint32_t state) { return terminal.dfa.label[state] != 0; },
                         {},
                         {}};
  if (terminal.counted()) {
    subject.rest = [&guide](std::uint32_t state) { return guide.rest(state); };
    subject.between = [&terminal](std::uint32_t state) { return terminal.between[state] != 0; };
  }
  return subject;
}

// Characters of some kinds; the last may be cut.
std::string text_of(Random& random, ByteKinds kinds, std::uint32_t most) {
  static const std::vector<std::pair<ByteKinds, std::string>> kCharacters = [] {
    std::vector<std::pair<ByteKinds, std::string>> all;
    for (std::size_t byte = 0; byte < 128; ++byte)
      all.emplace_back(kAsciiKinds[byte], std::string(1, static_cast<char>(byte)));
    for (const WideForm& each : wide_forms()) {
      for (const bool first : {true, false}) {
        std::string character;
        for (std::size_t at = 0; at < each.bytes.length; ++at)
          character += static_cast<char>(first ? each.bytes.first[at] : each.bytes.last[at]);
        all.emplace_back(each.kind, character);
      }
    }
    return all;
  }();
  std::vector<const std::string*> usable;
  for (const auto& [kind, character] : kCharacters) {
    if ((kind & kinds) != 0) usable.push_back(&character);
  }
  std::string text;
  while (text.size() < most) text += *usable[below(random, static_cast<std::uint32_t>(usable.size()))];
  // Only the others may be cut: what whitespace begins with, they do as well.
  if (text.size() > most) {
    if ((kinds & kWide) != 0) {
      text.resize(most);
    } else {
      while (text.size() > most) text.pop_back();
      while (!text.empty() && (text.back() & 0x80) != 0) text.pop_back();
    }
  }
  return text;
}

TEST(KindClosure, HoldsForEveryTextOfItsKinds) {
  const std::vector<std::string> schemas{
      R"({"type":"string","pattern":"^[a-z_][a-z0-9_]*$"})",
      R"({"type":"string","pattern":"^[^:]+:[^:]+$"})",
      R"({"type":"string","pattern":"^[^:]+:[^:]+$","maxLength":40})",
      R"({"type":"string","pattern":"^https?://.*$"})",
      R"({"type":"string","pattern":"^(\\S+\\s+){0,20}\\S+$"})",
      R"({"type":"string","pattern":"[0-9]{3}","maxLength":30})",
      R"({"type":"string","pattern":"^.+@.+\\.[a-z]{2,}$"})",
      R"({"type":"string","pattern":"^[a-z]{3,60}$"})",
      R"({"type":"string","pattern":"^\\p{L}+$"})",
      R"({"type":"string","pattern":"^[^\\u00e9\\u4e2d]*$"})",
      R"({"type":"string","format":"hostname","maxLength":40})",
      R"({"type":"string","format":"email","minLength":3})",
      R"({"type":"string","minLength":2,"maxLength":9})",
      R"({"type":"string"})",
  };
  int checked = 0, with_letters = 0;
  for (const std::string& schema : schemas) {
    SCOPED_TRACE(schema);
    const auto grammar = Grammar::from_schema(schema, Layout{});
    ASSERT_TRUE(grammar.ok()) << grammar.error().message();
    for (const Terminal& terminal : grammar.value()->program()->terminals) {
      if (terminal.dfa.empty()) continue;
      const TerminalGuide guide(terminal);
      const ClosureSubject subject = subject_of(terminal, guide);
      KindClosures closures(subject);
      Random random(1);
      const std::uint32_t every = 1 + terminal.dfa.states() / 150;
      for (std::uint32_t from = 0; from < terminal.dfa.states(); from += every) {
        const KindClosure closure = closures.from(from);
        if (closure.kinds == 0) continue;
        ASSERT_EQ(closure.kinds & ~kPlainKinds, 0u);
        for (int i = 0; i < 40; ++i) {
          const std::string text =
              text_of(random, closure.kinds, 1 + below(random, std::min(closure.bytes, 70u)));
          std::uint32_t state = from, characters = 0, expected = 0;
          bool ended = false;
          for (const char byte : text) {
            ended = ended || terminal.dfa.label[state] != 0;
            if (terminal.counted()) characters += terminal.between[state];
            expected += (byte & 0xC0) != 0x80 ? 1 : 0;
            state = terminal.dfa.step(state, static_cast<unsigned char>(byte));
            ASSERT_NE(state, kNone) << ::testing::PrintToString(text) << " from " << from;
          }
          ended = ended || terminal.dfa.label[state] != 0;
          EXPECT_TRUE(closure.ends || !ended) << text << " from " << from;
          if (terminal.counted() && !text.empty()) {
            EXPECT_EQ(guide.rest(state), closure.rest) << text << " from " << from;
            EXPECT_EQ(characters, expected) << text << " from " << from;
          }
          ++checked;
        }
        with_letters += (closure.kinds & kAsciiKinds['z']) != 0 ? 1 : 0;
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(checked, 5000);
  EXPECT_GT(with_letters, 100);
}

TEST(KindClosure, LeavesOutWhatLeadsElsewhere) {
  const auto closure_of = [](const std::string& schema, std::string_view behind) {
    const auto grammar = Grammar::from_schema(schema, Layout{});
    EXPECT_TRUE(grammar.ok());
    const Terminal& terminal = grammar.value()->program()->terminals.front();
    const TerminalGuide guide(terminal);
    std::uint32_t state = 0;
    for (const char byte : behind) state = terminal.dfa.step(state, static_cast<unsigned char>(byte));
    return KindClosures(subject_of(terminal, guide)).from(state);
  };
  const ByteKinds letters = kAsciiKinds['a'] | kAsciiKinds['z'];
  // The quotes are the automaton's.
  const KindClosure key = closure_of(R"({"type":"string","pattern":"^[^:]+:[^:]+$"})", "\"a");
  EXPECT_EQ(key.kinds, kPlainKinds & ~kAsciiKinds[':']);
  EXPECT_EQ(key.bytes, kUnbounded);
  EXPECT_EQ(closure_of(R"({"type":"string","pattern":"^[a-z]+-[a-z]+$"})", "\"a").kinds, letters);
  // `.` is everything but line terminators.
  EXPECT_EQ(closure_of(R"({"type":"string","pattern":"^a.*$"})", "\"a").kinds, kPlainKinds & ~kWideLine);
  EXPECT_EQ(closure_of(R"({"type":"string","pattern":"^\\S*$"})", "\"").kinds,
            kPlainKinds & ~(kWideLine | kWideSpace | kAsciiKinds[' ']));
}

TEST(KindClosure, HoldsForAsManyBytesAsThereAre) {
  Dfa letters;  // at most 30 of them
  letters.classes = 2;
  for (unsigned char byte = 'a'; byte <= 'z'; ++byte) letters.class_of[byte] = 1;
  for (std::uint32_t state = 0; state <= 30; ++state) {
    letters.next.insert(letters.next.end(), {kNone, state < 30 ? state + 1 : kNone});
    letters.label.push_back(1);
  }
  const auto yes = [](std::uint32_t) { return true; };
  KindClosures closures({&letters, yes, yes, {}, {}});
  for (const std::uint32_t left : {30u, 24u, 5u}) {
    EXPECT_EQ(closures.from(30 - left).kinds, kAsciiKinds['a'] | kAsciiKinds['z']);
    EXPECT_EQ(closures.from(30 - left).bytes, left);
    EXPECT_TRUE(closures.from(30 - left).ends);
  }
  EXPECT_EQ(closures.from(30).kinds, 0u);
  EXPECT_EQ(closures.from(30).bytes, 0u);
}

}  // namespace
}  // namespace emberline::grammar::testing
