// Grammars from either notation, asked about whole texts.
#include "grammar/grammar.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

// Parts that together have just as many states as may be joined: once these are joined, that is it.
TEST(Grammar, OfGbnfEndsWherePartsAreJoinedThatBecomeTooLarge) {
  const std::string text = "aaa" + std::string(30, 'b');
  for (std::size_t length = 54; length < 60; ++length) {
    const std::string repeated(length, 'x');
    const auto grammar =
        take(Grammar::from_gbnf("root ::= [a][a]* \"" + repeated + "\"* \"a\" [ab]* \"a\" [ab]{30}"));
    EXPECT_TRUE(take(grammar->conforms(text))) << length;
    EXPECT_TRUE(take(grammar->conforms("a" + repeated + text.substr(1)))) << length;
    EXPECT_FALSE(take(grammar->conforms("aa" + text.substr(3)))) << length;
  }
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

TEST(Grammar, TellsIntegersByTheirTextWhereDraft4IsNamed) {
  struct Case {
    std::string schema;
    std::vector<std::string> valid, invalid;
  };
  const Case cases[] = {
      {R"("type":"integer")", {"1", "-12"}, {"1.0", "1e1", "-0.0", "1.5"}},
      {R"("type":"number")", {"1", "1.0", "1e1"}, {}},
      {R"("minimum":1)", {"1.0", "12e1", "1"}, {"0.0", "0"}},
      {R"("multipleOf":2)", {"4.0", "4"}, {"3.0", "3"}},
      {R"("enum":[1,2.0])", {"1.0", "2", "2.0"}, {"3.0"}},
      {R"("type":"integer","enum":[1,2.5])", {"1"}, {"1.0", "2.5"}},
      {R"("anyOf":[{"type":"integer","enum":[3,4]},{"enum":[3]}])", {"3", "3.0", "4"}, {"4.0"}},
      {R"("not":{"not":{"type":"integer"}})", {"1"}, {"1.0", "null"}},
      {R"("properties":{"id":{"type":"integer"}})", {R"({"id":1,"x":1.0})"}, {R"({"id":1.0})"}},
  };
  for (const Case& each : cases) {
    const auto with_draft = [&](int draft) {
      const std::string name = "http://json-schema.org/draft-0" + std::to_string(draft) + "/schema#";
      return take(Grammar::from_schema("{\"$schema\":\"" + name + "\"," + each.schema + "}", {}));
    };
    for (const std::string& text : each.valid)
      EXPECT_TRUE(take(with_draft(4)->conforms(text))) << each.schema << " " << text;
    for (const std::string& text : each.invalid)
      EXPECT_FALSE(take(with_draft(4)->conforms(text))) << each.schema << " " << text;
    EXPECT_EQ(take(with_draft(6)->conforms("1.0")), take(with_draft(6)->conforms("1"))) << each.schema;
  }
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
