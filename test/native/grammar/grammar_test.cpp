// Grammars from either notation, asked about whole texts.
#include "grammar/grammar.h"

#include <gtest/gtest.h>

#include <string>

#include "take.h"

namespace emberline::grammar {
namespace {

using emberline::testing::take;

TEST(Grammar, OfGbnfTakesTextsAsTheyStand) {
  const auto grammar = take(Grammar::from_gbnf("root ::= \"a\" [^\\n]* \"\\n\""));
  EXPECT_TRUE(take(grammar->conforms("a\u20ac\n")));
  EXPECT_FALSE(take(grammar->conforms("a")));
  EXPECT_FALSE(take(grammar->conforms(" a\n")));
  EXPECT_FALSE(take(grammar->conforms("")));
  EXPECT_EQ(take(grammar->canonical(" a")), " a");
  EXPECT_EQ(Grammar::from_gbnf("root").code(), ErrorCode::kGrammarInvalid);
  EXPECT_EQ(take(Grammar::from_gbnf("root ::= <[1]>"))->conforms("x").code(), ErrorCode::kGrammarUnsupported);
}

TEST(Grammar, KnowsWhenNothingIsOfIt) {
  EXPECT_FALSE(take(Grammar::from_schema("true", {}))->empty());
  EXPECT_TRUE(take(Grammar::from_schema("false", {}))->empty());
  EXPECT_TRUE(
      take(Grammar::from_schema(R"({"required":["a"],"maxProperties":0,"type":"object"})", {}))->empty());
  EXPECT_FALSE(take(Grammar::from_gbnf("root ::= \"\""))->empty());
}

TEST(Grammar, OfASchemaTakesDocumentsInAnyLayout) {
  constexpr std::string_view kSchema =
      R"({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "array"}}, "required": ["a"]})";
  for (const Layout& layout : {Layout{LayoutKind::kCompact, "", ""}, Layout{LayoutKind::kFree, "", ""},
                               Layout{LayoutKind::kIndented, "\t", "\r\n"}}) {
    const auto grammar = take(Grammar::from_schema(kSchema, layout));
    EXPECT_TRUE(take(grammar->conforms("{ \"b\" : [ 1,\n2 ], \"\\u0061\": 1.0 }")));
    EXPECT_TRUE(take(grammar->conforms("{\"a\":1,\"b\":[],\"c\":{}}")));
    EXPECT_FALSE(take(grammar->conforms("{\"a\": 1.5}")));
    EXPECT_FALSE(take(grammar->conforms("{}")));
    EXPECT_EQ(grammar->conforms("{").code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(take(grammar->canonical("{ \"\\u0061\" : 1.50 }")), "{\"a\":1.5}");
  }
  EXPECT_EQ(Grammar::from_schema("[", {}).code(), ErrorCode::kGrammarInvalid);
}

TEST(Grammar, ReadsLongTexts) {
  const auto grammar = take(Grammar::from_gbnf("root ::= (\"a\" root \"b\")? | [cd]{200000}"));
  std::string text;
  for (int at = 0; at < 100000; ++at) text += at % 7 == 0 ? "cc" : "cd";
  EXPECT_TRUE(take(grammar->conforms(text)));
  EXPECT_FALSE(take(grammar->conforms(text + "c")));
}

}  // namespace
}  // namespace emberline::grammar
