#include <gtest/gtest.h>

#include "grammar/grammar.h"
#include "take.h"

namespace emberline::grammar {
namespace {

using testing::take;

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

}  // namespace
}  // namespace emberline::grammar
