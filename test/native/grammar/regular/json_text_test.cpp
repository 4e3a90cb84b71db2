#include "grammar/regular/json_text.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/pattern.h"
#include "grammar/regular/short_texts.h"

namespace emberline::grammar {
namespace {

std::string unquoted(std::string_view text) {
  const std::string json = json_quoted(text);
  return json.substr(1, json.size() - 2);
}

// What stands between the quotes of a JSON string, of the escapes those that are canonical for something.
std::optional<std::string> decoded(std::string_view json) {
  std::string text;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] != '\\') {
      text.push_back(json[i]);
      continue;
    }
    constexpr std::string_view kLetters = "\"\\bfnrt", kMeanings = "\"\\\b\f\n\r\t";
    const std::size_t letter = ++i < json.size() ? kLetters.find(json[i]) : std::string_view::npos;
    if (letter != std::string_view::npos) {
      text.push_back(kMeanings[letter]);
    } else {
      if (json.substr(i, 3) != "u00" || json.size() < i + 5) return std::nullopt;
      const std::size_t high = std::string_view("01").find(json[i + 3]),
                        low = std::string_view("0123456789abcdef").find(json[i + 4]);
      if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
      text.push_back(static_cast<char>(high * 16 + low));
      i += 4;
    }
  }
  return text;
}

TEST(JsonText, EveryCharacterHasOneSpelling) {
  EXPECT_EQ(json_quoted("a/\u00e9\x7f\U0001f600"), "\"a/\u00e9\x7f\U0001f600\"");
  EXPECT_EQ(json_quoted("\"\\\b\f\n\r\t"), R"("\"\\\b\f\n\r\t")");
  EXPECT_EQ(json_quoted(std::string_view("\0\x01\x0b\x1f", 4)), R"("\u0000\u0001\u000b\u001f")");
  const auto json = json_text(any_text(), false);
  ASSERT_TRUE(json.ok());
  for (int byte = 0; byte < 0x80; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    EXPECT_NE(json.value().dfa.match(unquoted(text)), 0u);
    EXPECT_EQ(json.value().dfa.match(text) != 0, byte >= 0x20 && byte != '"' && byte != '\\') << byte;
  }
  for (const char* other : {R"(\/)", R"(\u0041)", R"(\u00e9)", R"(\u000a)", R"(\u001F)", R"(\U0001)", R"(\x)",
                            R"(\)", R"(\u00)", R"(\u0020)", R"(\u007f)"}) {
    EXPECT_EQ(json.value().dfa.match(other), 0u) << other;
  }
}

// Texts of a language, written as JSON, are those of the JSON language; labels stay.
TEST(JsonText, KeepsLanguagesAndLabels) {
  const std::vector<std::string_view> pieces = {"a", "\"", "\\", "\n", "\x01", "\x11", "\u00e9", "n", "u"};
  struct Text {
    std::string text, unquoted, quoted;
  };
  std::vector<Text> texts;
  for (const std::string& text : testing::short_texts(pieces, 4))
    texts.push_back({text, unquoted(text), json_quoted(text)});
  const std::vector<std::string_view> bytes = {"a", "\"", "\\", "n", "u", "0", "1"};
  const std::vector<std::string> spelled = testing::short_texts(bytes, 6);
  std::vector<std::optional<std::string>> meant;  // by those that are JSON text as it is written here
  for (const std::string& json : spelled) {
    const auto text = decoded(json);
    meant.push_back(text && unquoted(*text) == json ? text : std::nullopt);
  }
  std::vector<Dfa> languages;
  for (const char* pattern :
       {"^[^a]*$", "\\n", "^(\\x01|n|\\x11n)*$", "^..$", "\"$", "\\\\u", "^[\\x00-\\x1f]$"}) {
    auto language = pattern_language(pattern);
    ASSERT_TRUE(language.ok());
    languages.push_back(std::move(language).value());
  }
  languages.push_back(literal("\"\\a"));
  auto classified = classify(languages);
  ASSERT_TRUE(classified.ok());
  languages.push_back(classified.value().dfa);
  languages.push_back(Dfa{});
  for (const Dfa& language : languages) {
    const auto bare = json_text(language, false), quoted = json_text(language, true);
    ASSERT_TRUE(bare.ok() && quoted.ok());
    for (const Text& each : texts) {
      const std::uint32_t label = language.match(each.text);
      ASSERT_EQ(bare.value().dfa.match(each.unquoted), label) << each.text;
      ASSERT_EQ(quoted.value().dfa.match(each.quoted), label) << each.text;
      ASSERT_EQ(quoted.value().dfa.match(each.unquoted), 0u);
    }
    // Nor is anything else JSON text of the language.
    for (std::size_t i = 0; i < spelled.size(); ++i) {
      const std::uint32_t label = meant[i] ? language.match(*meant[i]) : 0;
      ASSERT_EQ(bare.value().dfa.match(spelled[i]), label) << spelled[i];
    }
  }
}

TEST(JsonText, KnowsWhatIsBetweenCharacters) {
  for (const bool escapes : {true, false}) {
    const Dfa language = escapes ? any_text() : pattern_language("^[a-z\u00e9\U0001f600]*$").value();
    for (const bool quotes : {false, true}) {
      const auto json = json_text(language, quotes);
      ASSERT_TRUE(json.ok());
      const Dfa& dfa = json.value().dfa;
      ASSERT_EQ(json.value().between.size(), dfa.states());
      std::vector<std::string> characters = {"a", "\u00e9", "\U0001f600"};
      if (escapes) characters.insert(characters.end(), {R"(\n)", R"(\u0001)", R"(\")", R"(\\)"});
      std::uint32_t state = 0;
      if (quotes) {
        EXPECT_EQ(json.value().between[state], 0);
        state = dfa.step(state, '"');
      }
      for (const std::string& character : characters) {
        for (std::size_t i = 0; i < character.size(); ++i) {
          EXPECT_EQ(json.value().between[state] != 0, i == 0);
          state = dfa.step(state, static_cast<unsigned char>(character[i]));
          ASSERT_NE(state, kNone);
        }
      }
      EXPECT_NE(json.value().between[state], 0);
    }
  }
}

}  // namespace
}  // namespace emberline::grammar
