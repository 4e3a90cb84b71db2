#include <gtest/gtest.h>

#include "grammar/grammar.h"
#include "take.h"

namespace emberline::grammar {
namespace {

using emberline::testing::take;

TEST(GrammarOfSchema, TakesDocumentsInAnySpelling) {
  for (const LayoutKind kind : {LayoutKind::kCompact, LayoutKind::kFree, LayoutKind::kIndented}) {
    Layout layout;
    layout.kind = kind;
    const auto grammar = take(Grammar::from_schema(
        R"({"type":"object","properties":{"a":{"items":{"type":"integer"}},"é":{"const":"\u0041/"}}})",
        layout));
    EXPECT_TRUE(take(grammar->conforms("{ \"\\u00e9\" : \"A\\/\" ,\n \"a\":[1, 2.0,3e0]}")));
    EXPECT_TRUE(take(grammar->conforms("{}")));
    EXPECT_FALSE(take(grammar->conforms(R"({"a":[1.5]})")));
    EXPECT_FALSE(take(grammar->conforms("[]")));
    EXPECT_EQ(grammar->conforms("{]").code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(Grammar::from_schema("{\"$ref\":\"x\"}", {}).code(), ErrorCode::kGrammarUnsupported);
}

// Whitespace in a string is of the string, not between the tokens of JSON.
TEST(GrammarOfSchema, CountsTheSpacesOfStrings) {
  for (const LayoutKind kind : {LayoutKind::kCompact, LayoutKind::kFree, LayoutKind::kIndented}) {
    Layout layout;
    layout.kind = kind;
    const auto grammar =
        take(Grammar::from_schema(R"({"items":{"type":"string","minLength":2,"maxLength":3}})", layout));
    for (const char* text : {R"(["  "])", R"([" a "])", R"(["a  ","b "])"})
      EXPECT_TRUE(take(grammar->conforms(text))) << text;
    for (const char* text : {R"(["    "])", R"(["a   "])", R"(["   a"])", R"(["ab  "])", R"([" "])"})
      EXPECT_FALSE(take(grammar->conforms(text))) << text;
  }
}

}  // namespace
}  // namespace emberline::grammar
