#include "grammar/json/json_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grammar/json/canonical_json.h"
#include "take.h"

namespace emberline::grammar {
namespace {

using emberline::testing::take;

std::string canonical(std::string_view text) {
  return take(canonical_json(take(read_json(text))));
}

TEST(JsonReader, KeepsOrderAndTextOfNumbers) {
  const Json value = take(read_json(" {\"b\": [1.50, -0, 1e2],\r\n\t\"a\": null} "));
  ASSERT_TRUE(value.is(JsonKind::kObject));
  EXPECT_EQ(value.keys, (std::vector<std::string>{"b", "a"}));
  ASSERT_NE(value.find("b"), nullptr);
  EXPECT_EQ(value.find("b")->items[0].text, "1.50");
  EXPECT_EQ(value.find("b")->items[2].text, "1e2");
  EXPECT_TRUE(value.find("a")->is(JsonKind::kNull));
  EXPECT_EQ(value.find("c"), nullptr);
}

TEST(JsonReader, TakesTheLastValueOfAKey) {
  EXPECT_EQ(canonical(R"({"a":1,"b":2,"a":3})"), R"({"a":3,"b":2})");
  std::string many = "{";
  for (int i = 0; i < 100; ++i) many += "\"k" + std::to_string(i % 50) + "\":" + std::to_string(i) + ",";
  many += "\"k0\":7}";
  const Json value = take(read_json(many));
  EXPECT_EQ(value.keys.size(), 50u);
  EXPECT_EQ(value.find("k0")->text, "7");
  EXPECT_EQ(value.find("k49")->text, "99");
}

TEST(JsonReader, DecodesEscapes) {
  EXPECT_EQ(take(read_json(R"("a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00")")).text,
            "a\"\\/\b\f\n\r\t\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(take(read_json(R"("\u0000")")).text, std::string(1, '\0'));
}

TEST(CanonicalJson, GivesEachValueOneSpelling) {
  EXPECT_EQ(canonical(R"( [ "\u0041\/\u000b\n" , 1.0, 10e-1, -0.0, 1.250 , true ] )"),
            R"(["A/\u000b\n",1,1,0,1.25,true])");
  EXPECT_EQ(canonical("{}"), "{}");
  EXPECT_EQ(canonical("[[],{\"\":{}}]"), "[[],{\"\":{}}]");
}

TEST(JsonReader, SaysWhereTextIsNoJson) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "line 1, column 1"},
      {"{\"a\":1,}", "line 1, column 8"},
      {"[1\n,\n 2 3]", "line 3, column 4"},
      {"[1\r,\r\n 2 3]", "line 3, column 4"},
      {"\"\xC3\xA9\" x", "line 1, column 5"},
      {"01", "line 1, column 2"},
      {"+1", "column 1"},
      {"1.", "column 3"},
      {".5", "column 1"},
      {"1e", "column 3"},
      {"-", "column 2"},
      {"tru", "column 1"},
      {"nul", "column 1"},
      {"\"a", "column 3"},
      {"\"\\x\"", "column 3"},
      {"\"\\u12g4\"", "column 6"},
      {"\"\n\"", "column 2"},
      {"\"\\ud800\"", "surrogate"},
      {"\"\\udc00\"", "surrogate"},
      {"\"\\ud800\\u0041\"", "surrogate"},
      {"\"\xFF\"", "UTF-8"},
      {"\"\xED\xA0\x80\"", "UTF-8"},
      {"{1:2}", "key"},
      {"{\"a\" 1}", "colon"},
      {"[1", "bracket"},
      {"{\"a\":1", "brace"},
      {"[1]]", "end of the document"},
  };
  for (const auto& [text, where] : cases) {
    const Result<Json> value = read_json(text);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_EQ(value.code(), ErrorCode::kGrammarInvalid) << text;
    EXPECT_NE(value.error().message().find(where), std::string::npos)
        << text << ": " << value.error().message();
  }
}

TEST(JsonReader, IsBounded) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(read_json(nested(256)).ok());
  EXPECT_EQ(read_json(nested(257)).code(), ErrorCode::kGrammarTooLarge);
  EXPECT_EQ(read_json(std::string(1'000'000, '[')).code(), ErrorCode::kGrammarTooLarge);
  EXPECT_EQ(read_json("[1,2,3]", {.depth = 5, .values = 3}).code(), ErrorCode::kGrammarTooLarge);
  EXPECT_TRUE(read_json("[1,2,3]", {.depth = 5, .values = 4}).ok());
}

}  // namespace
}  // namespace emberline::grammar
