// The parts of the decode loop that need no model: chunk sizes, blanks, text assembly.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "decode/blank.h"
#include "decode/chunk_plan.h"
#include "decode/output_text.h"
#include "decode/stop_reason.h"

namespace emberline::testing {
namespace {

TEST(ChunkPlan, StartsWithOneStepAndDoubles) {
  ChunkPlan plan(30, 64);
  std::vector<std::uint32_t> steps;
  for (int i = 0; i < 9; ++i) {
    steps.push_back(plan.next());
    plan.record(plan.next(), 0.01 * plan.next());
  }
  EXPECT_EQ(steps, (std::vector<std::uint32_t>{1, 2, 4, 8, 16, 32, 64, 64, 64}));
}

TEST(ChunkPlan, StaysWithinTheBudget) {
  for (const double step_ms : {0.3, 1.0, 4.0, 7.0, 29.0}) {
    ChunkPlan plan(30, 64);
    for (int i = 0; i < 12; ++i) {
      EXPECT_LE(plan.next() * step_ms, 30.0) << step_ms;
      plan.record(plan.next(), plan.next() * step_ms);
    }
    EXPECT_GE((plan.next() + 1) * step_ms, std::min(30.0, 64 * step_ms))
        << "no shorter than needed: " << step_ms;
  }
}

TEST(ChunkPlan, BeginsWithWhatTheBudgetAllowsWhereAStepIsKnown) {
  EXPECT_EQ(ChunkPlan(30, 64, 0.1).next(), 64u);
  EXPECT_EQ(ChunkPlan(30, 64, 0.7).next(), 42u);
  EXPECT_EQ(ChunkPlan(30, 64, 4).next(), 7u);
  EXPECT_EQ(ChunkPlan(30, 64, 31).next(), 1u);
  ChunkPlan plan(30, 64, 4);
  plan.record(7, 7 * 1.0);
  EXPECT_EQ(plan.next(), 14u) << "no more than twice the last";
  EXPECT_EQ(plan.step_ms(), 1.0);
  plan.record(14, 14 * 10.0);
  EXPECT_EQ(plan.next(), 3u);
}

TEST(ChunkPlan, TakesOneStepAtATimeWhereAStepExceedsTheBudget) {
  ChunkPlan plan(30, 64);
  plan.record(1, 400);
  EXPECT_EQ(plan.next(), 1u);
  plan.record(1, 0);
  EXPECT_EQ(plan.next(), 2u) << "a clock that did not advance is no reason to stay short";
}

TEST(Blank, VisibleIsAnythingButAsciiBlanksAndControls) {
  EXPECT_FALSE(has_visible(" \t\r\n\v\f\x7F"));
  EXPECT_FALSE(has_visible(""));
  EXPECT_TRUE(has_visible("  x"));
  EXPECT_TRUE(has_visible("\xC3"));
}

TEST(Blank, ABreakCountsOnlyBeforeAnythingVisible) {
  EXPECT_TRUE(breaks_line_while_blank(" \n"));
  EXPECT_TRUE(breaks_line_while_blank("\r"));
  EXPECT_TRUE(breaks_line_while_blank("\t\nx"));
  EXPECT_FALSE(breaks_line_while_blank(");\n"));
  EXPECT_FALSE(breaks_line_while_blank("   "));
}

// What a sink received, and the text kept, which must be the same.
struct Assembled {
  std::string text;
  bool ended = false;
};
Assembled assemble(std::string_view prefix, bool single_line, const std::vector<std::string>& tokens) {
  std::string received;
  OutputText text(prefix, single_line, [&](std::string_view piece) {
    EXPECT_FALSE(piece.empty());
    received += piece;
  });
  Assembled result;
  for (const std::string& token : tokens) {
    EXPECT_FALSE(result.ended);
    result.ended = text.push(token);
  }
  EXPECT_EQ(received, text.text());
  result.text = text.text();
  return result;
}

TEST(OutputText, LeavesOutTheRequiredPrefix) {
  EXPECT_EQ(assemble("ret", true, {"re", "turn", " x"}).text, "urn x");
  EXPECT_EQ(assemble("ret", true, {"r", "e", "t"}).text, "");
  EXPECT_EQ(assemble("", true, {"re", "turn"}).text, "return");
}

TEST(OutputText, WasVisibleOnceWhateverFollows) {
  OutputText text("ret", true, {});
  for (const auto& [token, visible] : {std::pair("ret", false), {" ", false}, {"x", true}, {"  ", true}}) {
    text.push(token);
    EXPECT_EQ(text.visible(), visible) << token;
  }
}

TEST(OutputText, EndsASingleLineAtTheFirstBreakBeyondThePrefix) {
  const Assembled healed = assemble("\n    ", true, {"\n   ", " x", "foo\nbar"});
  EXPECT_EQ(healed.text, "xfoo");
  EXPECT_TRUE(healed.ended);
  EXPECT_EQ(assemble("", true, {"foo", "\r\n"}).text, "foo");
  EXPECT_TRUE(assemble("\n", true, {"\n\n"}).ended);
  const Assembled many = assemble("", false, {"foo\n", "bar"});
  EXPECT_EQ(many.text, "foo\nbar");
  EXPECT_FALSE(many.ended);
}

TEST(OutputText, HandsOutWholeCharactersOnly) {
  std::vector<std::string> pieces;
  std::vector<std::size_t> units;
  OutputText text("", true, [&](std::string_view piece) { pieces.emplace_back(piece); });
  for (const char* bytes : {"a\xE2", "\x82", "\xAC", "\xF0\x9F\x98\x80", "b\xF0\x9F"}) {
    text.push(bytes);
    units.push_back(text.units());
  }
  EXPECT_EQ(pieces, (std::vector<std::string>{"a", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "b"}));
  EXPECT_EQ(units, (std::vector<std::size_t>{1, 1, 2, 4, 5}));
  EXPECT_EQ(text.text(),
            "a\xE2\x82\xAC\xF0\x9F\x98\x80"
            "b")
      << "the character cut off at the end is dropped";
}

TEST(OutputText, ReportsWhatIsLeftOfThePrefixAndWhetherTextIsVisible) {
  OutputText text("ab ", true, {});
  EXPECT_EQ(text.remaining_prefix(), "ab ");
  text.push("a");
  EXPECT_EQ(text.remaining_prefix(), "b ");
  EXPECT_FALSE(text.visible()) << "the prefix does not count";
  text.push("b  ");
  EXPECT_EQ(text.remaining_prefix(), "");
  EXPECT_FALSE(text.visible());
  text.push("x");
  EXPECT_TRUE(text.visible());
}

TEST(StopReason, NamesAreDistinct) {
  EXPECT_STREQ(stop_reason_name(StopReason::kEndToken), "end_token");
  EXPECT_STREQ(stop_reason_name(StopReason::kLineEnd), "line_end");
  EXPECT_STREQ(stop_reason_name(StopReason::kMaxTokens), "max_tokens");
  EXPECT_STREQ(stop_reason_name(StopReason::kContextFull), "context_full");
  EXPECT_STREQ(stop_reason_name(StopReason::kCancelled), "cancelled");
  EXPECT_STREQ(stop_reason_name(StopReason::kUnsure), "unsure");
}

}  // namespace
}  // namespace emberline::testing
