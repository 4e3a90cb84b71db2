#include "grammar/regular/pattern.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "allocation_counter.h"
#include "base/utf8.h"
#include "grammar/regular/character_class.h"
#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/short_texts.h"

namespace emberline::grammar {
namespace {

struct PatternCase {
  const char* pattern;
  std::vector<std::string_view> found, not_found;
};

TEST(Pattern, FindsWhatEcma262Finds) {
  const PatternCase cases[] = {
      {"", {"", "a"}, {}},
      {"abc", {"abc", "xabcx"}, {"ab", "", "abxc"}},
      {"^abc$", {"abc"}, {"xabc", "abcx", "abc\n"}},
      {"a|^b$", {"xa", "b"}, {"bb", "c"}},
      {"^(a|bc)+$", {"a", "abcbc"}, {"", "ab"}},
      {"^(?:ab){2,3}$", {"abab", "ababab"}, {"ab", "abababab"}},
      {"^a{3}$", {"aaa"}, {"aa", "aaaa"}},
      {"^a{2,}$", {"aa", "aaaaa"}, {"a"}},
      {"^a{0}$", {""}, {"a"}},
      {"^a*?b+?c??$", {"b", "aabb", "bc"}, {"", "ac"}},
      {"^.$", {"a", "\u00e9", "\U0001f600", "\x0b"}, {"", "\n", "\r", "\u2028", "\u2029", "ab"}},
      {"^[^]$", {"\n", "\u2028", "x"}, {""}},
      {"[]", {}, {"", "a"}},
      {"^[a-c\\d_-]+$", {"abc-1_"}, {"d", ""}},
      {"^[^a-c]$", {"d", "\n", "\u00e9"}, {"a", "c"}},
      {"^\\d\\D$", {"1a"}, {"11", "aa"}},
      {"^\\w\\W$", {"_-", "Z\u00e9"}, {"--", "ww", "\u00e9-"}},
      {"^\\s$", {" ", "\t", "\u00a0", "\ufeff", "\u3000", "\u2029"}, {"a", "\u0085", "\u180e"}},
      {"^\\S$", {"a", "\u0085"}, {" ", "\u2003"}},
      {"^\\t\\n\\v\\f\\r$", {"\t\n\x0b\f\r"}, {"tnvfr"}},
      {"^\\x41\\u0042\\u{43}\\u{1F600}\\ud83d\\ude00$", {"ABC\U0001f600\U0001f600"}, {"ABC"}},
      {"^\\cJ$", {"\n"}, {"J"}},
      {"^[\\b]$", {"\b"}, {"b"}},
      {"^\\ud83d$", {}, {"\U0001f600"}},
      {"^\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/$", {"^$\\.*+?()[]{}|/"}, {}},
      {"^\\-\\_\\@\\ \\!$", {"-_@ !"}, {}},  // Annex B
      {"^a{$", {"a{"}, {"a"}},
      {"^a{1$", {"a{1"}, {}},
      {"^{}]$", {"{}]"}, {}},
      {"^a{,2}$", {"a{,2}"}, {"a"}},
      {"^[\\w-.]$", {"a", "-", "."}, {"/"}},
      {"^[.-\\d]$", {".", "-", "1"}, {"/"}},
      {"^(?<name>a)(?<\u00e9_1>b)$", {"ab"}, {"a"}},
      {"^\\p{L}+$", {"a\u00e9\u4e2d"}, {"1", ""}},
      {"^\\p{Lu}\\p{Ll}$", {"\u00c9a"}, {"aA"}},
      {"^\\P{L}$", {"1"}, {"a"}},
      {"^[\\p{Script=Greek}\\d]+$", {"\u03b11"}, {"a"}},
      {"^[^\\P{L}]$", {"a"}, {"1"}},
      {"\\bfoo\\b", {"foo", "a foo.", "-foo-", "\u00e9foo\u00e9"}, {"foo1", "afoo", "_foo"}},
      {"^\\b", {"a", "1-"}, {"", "-a"}},
      {"a\\Bb", {"ab"}, {"a b"}},
      {"^\\B$", {""}, {"a"}},
      {"x\\B", {"xy"}, {"x", "x-"}},
      {"a^b|c$d", {}, {"ab", "cd", "a\nb"}},
      {"(^|,)a(,|$)", {"a", "b,a", "a,b"}, {"ba", "ab"}},
      {"(?:^a)*b", {"b", "xb", "ab"}, {"a"}},
      {"(?=a)\\w", {"a", "xa"}, {"b"}},
      {"^(?!foo)", {"", "fo", "afoo"}, {"foo", "foobar"}},
      {"^(?!foo$)[a-z]+$", {"foobar", "bar"}, {"foo", ""}},
      {"^(?=.*\\d)(?=.*[a-z]).{4,}$", {"ab12", "1aaa"}, {"abcd", "1234", "a1"}},
      {"^((?!ab).)*$", {"", "ba", "acb"}, {"ab", "xaby"}},
      {"^(?:(?!--)[a-z-])+$", {"a-b", "-"}, {"a--b"}},
      {"a(?!b)", {"a", "ac", "aba"}, {"ab", "b"}},
      {"^a(?=b$)b", {"ab"}, {"abb"}},
      {"^(?!(?!a))", {"a"}, {"b", ""}},
      {"^(?=(?!a)\\w)", {"b"}, {"a", "-"}},
      {"(?=\\bb)b", {"b", "a b"}, {"ab"}},
      {"^(?=a)*b(?=c)+c", {"bc"}, {"b"}},
      {"(?!)", {}, {"", "a"}},
      {"(?=)", {"", "a"}, {}},
  };
  for (const auto& [pattern, found, not_found] : cases) {
    const auto language = pattern_language(pattern);
    ASSERT_TRUE(language.ok()) << pattern << ": " << language.error().message();
    for (const std::string_view text : found)
      EXPECT_EQ(language.value().match(text), 1u) << pattern << " in " << text;
    for (const std::string_view text : not_found) {
      EXPECT_EQ(language.value().match(text), 0u) << pattern << " in " << text;
    }
    EXPECT_EQ(difference(language.value(), any_text()).value(), Dfa{}) << pattern;
  }
}

TEST(Pattern, RefusesByNameAndPlace) {
  const std::tuple<const char*, ErrorCode, const char*> cases[] = {
      {"a(", ErrorCode::kGrammarInvalid, "a group without its ) at character 2"},
      {"a)", ErrorCode::kGrammarInvalid, ") at character 2"},
      {"[a", ErrorCode::kGrammarInvalid, "a class without its ] at character 1"},
      {"[b-a]", ErrorCode::kGrammarInvalid, "out of order at character 2"},
      {"\u00e9*+", ErrorCode::kGrammarInvalid, "nothing to repeat at character 3"},
      {"?", ErrorCode::kGrammarInvalid, "nothing to repeat at character 1"},
      {"a|*", ErrorCode::kGrammarInvalid, "at character 3"},
      {"{2}", ErrorCode::kGrammarInvalid, "nothing to repeat at character 1"},
      {"^*", ErrorCode::kGrammarInvalid, "behind an assertion at character 2"},
      {"\\b{2}", ErrorCode::kGrammarInvalid, "behind an assertion at character 3"},
      {"a{3,2}", ErrorCode::kGrammarInvalid, "bounds are out of order at character 2"},
      {"\\", ErrorCode::kGrammarInvalid, "nothing behind it"},
      {"\\y", ErrorCode::kGrammarInvalid, "the escape at character 2"},
      {"\\A", ErrorCode::kGrammarInvalid, "the escape at character 2"},
      {"\\xg0", ErrorCode::kGrammarInvalid, "the escape"},
      {"\\u{110000}", ErrorCode::kGrammarInvalid, "the escape"},
      {"\\c1", ErrorCode::kGrammarInvalid, "the escape"},
      {"(?<1a>b)", ErrorCode::kGrammarInvalid, "the name of a group"},
      {"(?#a)", ErrorCode::kGrammarInvalid, "the group"},
      {"(?>a)", ErrorCode::kGrammarInvalid, "the group"},
      {"\\p", ErrorCode::kGrammarInvalid, "a property without its name"},
      {"\\p{}", ErrorCode::kGrammarInvalid, "a property without its name"},
      {"(a)\\1", ErrorCode::kGrammarUnsupported, "the backreference at character 5"},
      {"(?<n>a)\\k<n>", ErrorCode::kGrammarUnsupported, "the backreference"},
      {"(?<=a)b", ErrorCode::kGrammarUnsupported, "the lookbehind at character 1"},
      {"a(?<!a)b", ErrorCode::kGrammarUnsupported, "the lookbehind at character 2"},
      {"(?i)a", ErrorCode::kGrammarUnsupported, "the group with flags"},
      {"(?-i:a)", ErrorCode::kGrammarUnsupported, "the group with flags"},
      {"\\p{Elvish}", ErrorCode::kGrammarUnsupported, "the property Elvish at character 2"},
      {"\xff", ErrorCode::kGrammarInvalid, "UTF-8"},
      {"a{100000}", ErrorCode::kGrammarTooLarge, ""},
      {"((a{1000}){1000}){1000}", ErrorCode::kGrammarTooLarge, ""},
      {"(){4000000000}", ErrorCode::kGrammarTooLarge, ""},
      {"a.{20}$", ErrorCode::kGrammarTooLarge, ""},
      {"^(?=.*a.{20}$)", ErrorCode::kGrammarTooLarge, ""},
  };
  for (const auto& [pattern, code, message] : cases) {
    const auto language = pattern_language(pattern);
    ASSERT_FALSE(language.ok()) << pattern;
    EXPECT_EQ(language.code(), code) << pattern;
    EXPECT_NE(language.error().message().find(message), std::string::npos) << language.error().message();
  }
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "(";
  EXPECT_EQ(pattern_language(deep).code(), ErrorCode::kGrammarTooLarge);
}

TEST(Pattern, LongRepeatsOfCharactersAreExact) {
  const auto language = pattern_language("^[\\s\\S]{3,255}$");
  ASSERT_TRUE(language.ok());
  for (const std::size_t length : {2u, 3u, 255u, 256u}) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += i % 2 == 0 ? "\u20ac" : "a";
    EXPECT_EQ(language.value().match(text) != 0, length >= 3 && length <= 255);
  }
}

TEST(Pattern, BoundsOfOneClassAreSetApart) {
  const std::tuple<const char*, std::uint32_t, std::uint32_t> counted[] = {{"^[a-z\u00e9]{1,64}$", 1, 64},
                                                                           {"^.{0,100}$", 0, 100},
                                                                           {"^(?:(\\w){20})$", 20, 20},
                                                                           {"^\\D{30,}?$", 30, kNone}};
  for (const auto& [pattern, least, most] : counted) {
    const auto apart = counted_pattern(pattern);
    ASSERT_TRUE(apart.has_value()) << pattern;
    EXPECT_EQ(apart->least, least);
    EXPECT_EQ(apart->most, most);
    const auto together = with_length(apart->language, least, most), whole = pattern_language(pattern);
    ASSERT_TRUE(together.ok() && whole.ok());
    EXPECT_EQ(together.value().next, whole.value().next) << pattern;
    EXPECT_EQ(together.value().class_of, whole.value().class_of) << pattern;
    EXPECT_EQ(together.value().label, whole.value().label) << pattern;
  }
  const auto large = counted_pattern("^[\\s\\S]{1,100000}$");
  ASSERT_TRUE(large.has_value());
  EXPECT_EQ(large->language.next, any_text().next);
  for (const char* pattern :
       {"", "^a{3}$", "[a-z]{1,64}", "^[a-z]{1,64}", "[a-z]{1,64}$", "^a[a-z]{1,64}$", "^(ab){1,64}$",
        "^[a-z]{1,64}$|b", "^(?=a){64}$", "^[a-z]{64$", "^a+$", "(^a{64}$"}) {
    EXPECT_FALSE(counted_pattern(pattern).has_value()) << pattern;
  }
}

// Finds by going back and trying again: from `at` on, then whatever `go_on` says of where the rest starts.
using GoOn = std::function<bool(std::size_t)>;
using Matcher = std::function<bool(const std::u32string& text, std::size_t at, const GoOn& go_on)>;
struct RandomPattern {
  std::string text;
  Matcher matcher;
};

class RandomPatterns {
 public:
  explicit RandomPatterns(std::uint32_t seed) : random_(seed) {}

  RandomPattern choice(int depth) {
    RandomPattern whole = sequence(depth);
    while (below(5) == 0) {
      const RandomPattern other = sequence(depth);
      whole.text += "|" + other.text;
      whole.matcher = [a = whole.matcher, b = other.matcher](const auto& text, std::size_t at,
                                                             const GoOn& go_on) {
        return a(text, at, go_on) || b(text, at, go_on);
      };
    }
    return whole;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  RandomPattern sequence(int depth) {
    RandomPattern whole{"", [](const auto&, std::size_t at, const GoOn& go_on) { return go_on(at); }};
    for (std::size_t i = below(4); i > 0; --i) {
      const RandomPattern next = term(depth);
      whole.text += next.text;
      whole.matcher = [a = whole.matcher, b = next.matcher](const auto& text, std::size_t at,
                                                            const GoOn& go_on) {
        return a(text, at, [&](std::size_t middle) { return b(text, middle, go_on); });
      };
    }
    return whole;
  }

  static RandomPattern of_set(std::string text, CodePointSet set) {
    return {std::move(text),
            [set = std::move(set)](const std::u32string& on, std::size_t at, const GoOn& go_on) {
              return at < on.size() && contains(set, on[at]) && go_on(at + 1);
            }};
  }

  static bool word(const std::u32string& text, std::size_t at) {
    return at < text.size() && contains(word_characters(), text[at]);
  }

  static CodePointSet with_hyphen(CodePointSet set) {
    set.push_back({'-', '-'});
    return normalised(set);
  }

  RandomPattern term(int depth) {
    switch (below(depth == 0 ? 9 : 16)) {
      case 0: return of_set("a", {{'a', 'a'}});
      case 1: return of_set("b", {{'b', 'b'}});
      case 2: return of_set("\\-", {{'-', '-'}});
      case 3: return of_set("\u00e9", {{0xE9, 0xE9}});
      case 4: return of_set(".", no_line_end());
      case 5: return of_set("[^a]", complement({{'a', 'a'}}));
      case 6: return of_set("\\w", word_characters());
      case 7: return of_set("\\D", complement(digits()));
      case 8: return of_set("[\\s-]", with_hyphen(white_space()));
      case 9:
        return {"^", [](const auto&, std::size_t at, const GoOn& go_on) { return at == 0 && go_on(at); }};
      case 10:
        return {"$", [](const auto& text, std::size_t at, const GoOn& go_on) {
                  return at == text.size() && go_on(at);
                }};
      case 11: {
        const bool boundary = below(2) == 0;
        return {boundary ? "\\b" : "\\B", [boundary](const auto& text, std::size_t at, const GoOn& go_on) {
                  const bool before = at > 0 && word(text, at - 1);
                  return (before != word(text, at)) == boundary && go_on(at);
                }};
      }
      case 12:
      case 13: {
        const bool negative = below(2) == 0;
        const RandomPattern inside = choice(depth - 1);
        return {(negative ? "(?!" : "(?=") + inside.text + ")",
                [negative, a = inside.matcher](const auto& text, std::size_t at, const GoOn& go_on) {
                  return a(text, at, [](std::size_t) { return true; }) != negative && go_on(at);
                }};
      }
      default: return repeat(depth);
    }
  }

  RandomPattern repeat(int depth) {
    constexpr std::tuple<const char*, std::size_t, std::size_t> kTimes[] = {
        {"*", 0, 99},    {"+", 1, 99},     {"?", 0, 1}, {"{2}", 2, 2},
        {"{1,2}", 1, 2}, {"{2,}?", 2, 99}, {"", 1, 1}};
    const auto& [times, least, most] = kTimes[below(7)];
    const RandomPattern body = choice(depth - 1);
    return {"(?:" + body.text + ")" + times, repeated(body.matcher, least, most)};
  }

  static Matcher repeated(Matcher body, std::size_t least, std::size_t most) {
    return [body = std::move(body), least, most](const auto& text, std::size_t at, const GoOn& go_on) {
      const std::function<bool(std::size_t, std::size_t)> more = [&](std::size_t count, std::size_t from) {
        if (count >= least && go_on(from)) return true;
        if (count == most) return false;
        return body(text, from, [&](std::size_t to) {
          // A round that reads nothing is of use only to reach the least number of them.
          return (to != from || count < least) && more(count + 1, to);
        });
      };
      return more(0, at);
    };
  }

  std::mt19937 random_;
};

// Before the first byte each lookahead may have been asked for or not: as many ways as there are subsets.
TEST(Pattern, RefusesManyWaysBeforeAByteInLittleMemory) {
  std::string maybe;  // each asked for or not
  for (char c = 'a'; c < 'a' + 19; ++c) maybe += std::string("(?=.*") + c + ")?";
  const std::string few_of_them = maybe.substr(0, maybe.find('n') - 5);
  std::string either;  // one of two
  for (char c = 'a'; c < 'a' + 24; c += 2)
    either += std::string("(?:(?=.*") + c + ")|(?=.*" + static_cast<char>(c + 1) + "))";
  std::string places;  // that a way may lead to, and kinds of bytes behind each
  for (char c = 'a'; c <= 'z'; ++c)
    places += std::string("[^") + c + "]?[^" + static_cast<char>(c - 'a' + 'A') + "]?";
  for (const std::string& pattern : {"^" + maybe, "^x" + maybe, "^" + few_of_them + "(?:" + places + "){10}!",
                                     "^" + either + places + "!"}) {
    const emberline::testing::AllocationCounter counter;
    EXPECT_EQ(pattern_language(pattern).code(), ErrorCode::kGrammarTooLarge) << pattern;
    EXPECT_LE(counter.peak_bytes(), std::size_t{64} << 20) << pattern;
  }
}

TEST(Pattern, RandomPatternsAgreeWithBacktracking) {
  RandomPatterns patterns(1);
  const std::vector<std::string_view> pieces = {"a", "b", "-", "\u00e9", "\n"};
  const std::vector<std::string> texts = testing::short_texts(pieces, 4);
  int compiled = 0;
  for (int round = 0; round < 400; ++round) {
    const RandomPattern pattern = patterns.choice(3);
    const auto language = pattern_language(pattern.text);
    if (!language.ok()) {
      EXPECT_EQ(language.code(), ErrorCode::kGrammarTooLarge) << pattern.text;
      continue;
    }
    ++compiled;
    for (const std::string& text : texts) {
      std::u32string characters;
      for (std::size_t at = 0; at < text.size(); at += read_utf8(text, at).length) {
        characters.push_back(read_utf8(text, at).code_point);
      }
      bool found = false;
      for (std::size_t at = 0; at <= characters.size() && !found; ++at) {
        found = pattern.matcher(characters, at, [](std::size_t) { return true; });
      }
      ASSERT_EQ(language.value().match(text) != 0, found) << pattern.text << " in " << text;
    }
  }
  EXPECT_GE(compiled, 390);
}

}  // namespace
}  // namespace emberline::grammar
