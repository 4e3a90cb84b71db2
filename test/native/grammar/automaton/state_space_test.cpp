#include "grammar/automaton/state_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "allocation_counter.h"
#include "grammar/grammar.h"

namespace emberline::grammar {
namespace {

std::shared_ptr<const Program> of_gbnf(const std::string& text) {
  const auto grammar = Grammar::from_gbnf(text);
  return grammar.ok() ? grammar.value()->program() : nullptr;
}

std::shared_ptr<const Program> of_schema(const std::string& text, LayoutKind kind = LayoutKind::kCompact) {
  Layout layout;
  layout.kind = kind;
  const auto grammar = Grammar::from_schema(text, layout);
  return grammar.ok() ? grammar.value()->program() : nullptr;
}

bool accepts(StateSpace& space, std::string_view text) {
  return space.may_end(space.step(space.start(), text));
}

TEST(StateSpace, NestsAsDeepAsItsBoundAndNoDeeper) {
  StateBounds bounds;
  bounds.depth = 50;
  StateSpace space(of_gbnf(R"gbnf(root ::= "(" root ")" | "x")gbnf"), bounds);
  EXPECT_TRUE(accepts(space, std::string(49, '(') + "x" + std::string(49, ')')));
  EXPECT_EQ(space.step(space.start(), std::string(52, '(')), kDead);
  EXPECT_TRUE(space.status().ok());
}

TEST(StateSpace, ReadsLongTextsThatNestWithoutEnd) {
  StateSpace space(of_schema(R"({"items":{"$ref":"#"},"type":"array"})"));
  EXPECT_EQ(space.step(space.start(), std::string(100000, '[')), kDead);
  EXPECT_TRUE(accepts(space, std::string(400, '[') + std::string(400, ']')));
  EXPECT_TRUE(space.status().ok());
}

TEST(StateSpace, SaysWhenItsMemoryIsUsedUp) {
  StateBounds bounds;
  bounds.bytes = 100000;
  StateSpace space(of_schema(R"({"type":"array","items":{"type":"string"},"uniqueItems":true})"), bounds);
  StateId state = space.step(space.start(), "[\"");
  ASSERT_NE(state, kDead);
  EXPECT_FALSE(space.crowded());
  EXPECT_EQ(space.step(state, std::string(10000, 'a')), kDead);
  EXPECT_EQ(space.status().code(), ErrorCode::kGrammarTooLarge);
  EXPECT_TRUE(space.crowded());
  const std::uint64_t epoch = space.epoch();
  space.start_over({&state, 1});
  EXPECT_GT(space.epoch(), epoch);
  EXPECT_TRUE(space.status().ok());
  EXPECT_TRUE(space.may_end(space.step(state, "b\",\"c\"]")));
}

TEST(StateSpace, FollowsATextOfAnyLengthInBoundedMemory) {
  StateBounds bounds;
  bounds.bytes = 400000;
  StateSpace space(
      of_schema(
          R"({"type":"object","properties":{"a":{"type":"string","maxLength":200000}},"required":["a"]})"),
      bounds);
  StateId state = space.step(space.start(), "{\"a\":\"");
  for (int i = 0; i < 100000; ++i) {
    ASSERT_NE(state = space.step(state, "é"), kDead) << i;
    if (space.crowded()) space.start_over({&state, 1});
  }
  for (int i = 0; i < 100000; ++i) {
    ASSERT_NE(state = space.step(state, "n"), kDead) << i;
    if (space.crowded()) space.start_over({&state, 1});
  }
  EXPECT_EQ(space.step(state, "n"), kDead);  // the 200,001st character
  EXPECT_TRUE(space.may_end(space.step(state, "\"}")));
  EXPECT_LE(space.bytes(), bounds.bytes);
}

TEST(StateSpace, KeepsWhatWasSeenOverAStart) {
  StateSpace space(of_schema(
      R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"uniqueItems":true}},)"
      R"("required":["b"],"minProperties":3})"));
  StateId state = space.step(space.start(), R"({"x":1,"a":["p","q)");
  StateId other = space.step(space.start(), R"({"b":)");
  StateId dead = kDead;
  StateId* const all[] = {&state, &other, &dead};
  std::vector<StateId> kept;
  for (const StateId* each : all) kept.push_back(*each);
  space.start_over(kept);
  for (std::size_t i = 0; i < kept.size(); ++i) *all[i] = kept[i];
  EXPECT_EQ(dead, kDead);
  EXPECT_TRUE(space.may_end(space.step(other, "null,\"c\":1,\"d\":2}")));
  EXPECT_EQ(space.step(state, "\",\"p\""), kDead);    // an item that came
  EXPECT_EQ(space.step(state, "\"],\"x\":"), kDead);  // a key that came
  EXPECT_EQ(space.step(state, "\"]}"), kDead);        // a key that has to come
  EXPECT_TRUE(space.may_end(space.step(state, "r\"],\"b\":[]}")));
}

TEST(StateSpace, BoundsTheWaysToReadAText) {
  StateBounds bounds;
  bounds.configurations = 8;
  std::string rules = "root ::= ";
  for (int i = 0; i < 20; ++i) rules += (i > 0 ? " | " : "") + ("a" + std::to_string(i));
  for (int i = 0; i < 20; ++i) {
    // Rules that name themselves in the middle are no regular expressions.
    rules += "\na" + std::to_string(i) + " ::= \"x\" a" + std::to_string(i) + " \"" +
             std::string(1, char('a' + i)) + "\" | \"y\"";
  }
  StateSpace space(of_gbnf(rules), bounds);
  EXPECT_EQ(space.step(space.start(), "xx"), kDead);
  EXPECT_EQ(space.status().code(), ErrorCode::kGrammarTooLarge);
}

// Every item counted is a state of its own: more than there is room for at once.
TEST(StateSpace, ReplaysLongTextsInBoundedMemory) {
  StateBounds bounds;
  bounds.bytes = 1u << 20;
  StateSpace space(of_schema(R"({"type":"array","items":{"const":1},"maxItems":5000})"), bounds);
  std::string text = "[1";
  for (int i = 1; i < 4999; ++i) text += ",1";
  const StateId state = space.replay(space.start(), text);
  ASSERT_TRUE(space.status().ok()) << space.status().message();
  EXPECT_GT(space.epoch(), 0u);
  EXPECT_TRUE(space.may_end(space.step(state, ",1]")));
  EXPECT_EQ(space.step(state, ",1,1"), kDead);
}

TEST(StateSpace, StartsOverSeldomHoweverMuchItKeeps) {
  StateBounds bounds;
  bounds.bytes = 1u << 18;
  StateSpace space(of_schema(R"({"type":"array","uniqueItems":true,"items":{"type":"string"}})"), bounds);
  std::string text = "[\"\"";
  for (int i = 0; i < 1800; ++i) text += ",\"" + std::to_string(i) + "\"";
  StateId state = space.replay(space.start(), text);
  ASSERT_TRUE(space.status().ok()) << space.status().message();
  EXPECT_LE(space.epoch(), text.size() / 50);
  space.start_over({&state, 1});
  EXPECT_GT(space.bytes(), bounds.bytes / 2);
}

TEST(StateSpace, ReplaysWhitespaceAsItWasWritten) {
  const std::string schema =
      R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}},"b":{"type":"string"}},)"
      R"("additionalProperties":false})";
  StateSpace indented(of_schema(schema, LayoutKind::kIndented));
  const auto goes_on = [&](std::string_view text, std::string_view rest) {
    return indented.may_end(indented.step(indented.replay(indented.start(), text), rest));
  };
  EXPECT_TRUE(goes_on("{\n      \"a\":   [1,\t2,3],", "\n  \"b\": \"x\"\n}"));
  EXPECT_TRUE(goes_on("{\n ", " \"b\": \"x\"\n}"));  // goes on with the rest of the indentation
  EXPECT_TRUE(goes_on("{\t", "\"b\": \"x\"\n}"));    // another indentation: goes on behind it
  EXPECT_TRUE(goes_on("{\"b\":\"x y\"", "\n}"));
  EXPECT_TRUE(goes_on("{\"a\":[\n", "    1,\n    2\n  ]\n}"));
  EXPECT_TRUE(goes_on("{\"a\":[", "1, 2]\n}"));
  EXPECT_FALSE(goes_on("{\"c\"", ": 1\n}"));
  StateSpace free(of_schema(schema, LayoutKind::kFree));
  const std::string wide = "{" + std::string(100, ' ') + "\"b\"";
  EXPECT_EQ(free.step(free.start(), wide), kDead);
  EXPECT_TRUE(free.may_end(free.step(free.replay(free.start(), wide), ":\"\"}")));
}

constexpr LayoutKind kLayouts[] = {LayoutKind::kCompact, LayoutKind::kFree, LayoutKind::kIndented};

TEST(StateSpace, ReplaysWhitespaceBetweenAnyTwoTokens) {
  const std::string schema =
      R"({"type":["object","number"],"properties":{"a":{"type":"array","items":{"enum":[12,1,true,"x y",{}]}},)"
      R"("b":{"type":"string"}},"additionalProperties":false})";
  for (const LayoutKind layout : kLayouts) {
    SCOPED_TRACE(static_cast<int>(layout));
    StateSpace space(of_schema(schema, layout));
    const auto accepted = [&](std::string_view text) {
      return space.may_end(space.replay(space.start(), text));
    };
    EXPECT_TRUE(accepted("{\"a\":[1,\"x y\",{},12],\"b\":\"\"}"));
    EXPECT_TRUE(accepted("\n { \"a\" : [ 1 , \"x y\" , { } , 12 ] , \"b\"\t:\r\n\"\" } \n"));
    EXPECT_TRUE(accepted(" 12 "));
    EXPECT_FALSE(accepted("1 2"));
    EXPECT_FALSE(accepted("{\"a\":[1 2]}"));
    EXPECT_FALSE(accepted("{\"a\":[tr ue]}"));
    EXPECT_FALSE(accepted("{\"a\":[\"x  y\"]}"));
    EXPECT_FALSE(accepted("{\" b\":\"\"}"));
    EXPECT_FALSE(accepted("{} {}"));
  }
  StateSpace text(of_gbnf(R"gbnf(root ::= "ab")gbnf"));
  EXPECT_EQ(text.replay(text.start(), " ab"), kDead);
  EXPECT_EQ(text.replay(text.start(), "a b"), kDead);
  EXPECT_EQ(text.replay(text.start(), "ab "), kDead);
}

TEST(StateSpace, ReplaysPiecesLikeTheWhole) {
  const std::string schema =
      R"({"additionalProperties":{"type":["array","integer"],"items":{"$ref":"#"},"minItems":1}})";
  const std::string texts[] = {"{\n  \"a\" : [\n    1,\n    { }\n  ],\n  \"b\":  7",
                               "{\"a\":[1,{\"b\":2},  [ 3 ] ],\"c\"", "[ \n\n  [ 1 ,\t2 ]\n  , {  }"};
  for (const LayoutKind layout : kLayouts) {
    StateSpace space(of_schema(schema, layout));
    for (const std::string_view text : texts) {
      const StateId whole = space.replay(space.start(), text);
      ASSERT_NE(whole, kDead) << text;
      for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        SCOPED_TRACE(cut);
        const StateId front = space.replay(space.start(), text.substr(0, cut));
        const StateId state = space.replay(front, text.substr(cut));
        ASSERT_NE(state, kDead) << text;
        for (int byte = 0; byte < 256; ++byte) {
          if (space.step(whole, static_cast<unsigned char>(byte)) != kDead) {
            EXPECT_NE(space.step(state, static_cast<unsigned char>(byte)), kDead) << text << " " << byte;
          }
        }
      }
    }
  }
}

// The bytes that lead on from `front`.
std::string next_bytes(StateSpace& space, std::string_view front) {
  const StateId state = space.step(space.start(), front);
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) {
    if (space.step(state, static_cast<unsigned char>(byte)) != kDead) bytes += static_cast<char>(byte);
  }
  return bytes;
}

TEST(StateSpace, LeadsToNoItemThatHasBeen) {
  StateSpace few(of_schema(R"({"type":"array","uniqueItems":true,"items":{"enum":[true,false,{},"a"]}})"));
  EXPECT_EQ(next_bytes(few, "["), R"("]ft{)");
  EXPECT_EQ(next_bytes(few, "[true,"), R"("f{)");
  EXPECT_EQ(next_bytes(few, "[true,false,{},"), "\"");
  EXPECT_EQ(next_bytes(few, R"([true,false,{},"a")"), "]");

  StateSpace any(of_schema(R"({"type":"array","uniqueItems":true})"));
  EXPECT_EQ(next_bytes(any, "[true,null,"), R"("-0123456789[f{)");
  EXPECT_EQ(next_bytes(any, R"([true,null,false,{},[],"",0,)"), R"("-0123456789[{)");

  // Strings without end and some that end, of which all but one have been.
  StateSpace mixed(
      of_schema(R"({"type":"array","uniqueItems":true,"items":{"anyOf":[{"type":"integer","enum":[1,2]},
                    {"type":"string","pattern":"^(a|b+|cd?)$"}]}})"));
  EXPECT_EQ(next_bytes(mixed, R"(["a",1,"c",)"), R"("2)");
  EXPECT_EQ(next_bytes(mixed, R"(["a",1,"c",")"), "bc");
  EXPECT_EQ(next_bytes(mixed, R"(["a",1,"c","c)"), "d");
  EXPECT_EQ(next_bytes(mixed, R"(["bb","b","bbb","b)"), "b");
}

TEST(StateSpace, LeadsToNoMoreItemsThanThereAreTexts) {
  // Behind a prefix the compiler counts no values.
  StateSpace few(of_schema(R"({"type":"array","uniqueItems":true,"prefixItems":[{"enum":["a","b","c","cd"]}],
                    "items":{"type":"string","pattern":"^(a|b|cd?)$"}})"));
  std::vector<std::string> items{R"("a")", R"("b")", R"("c")", R"("cd")"};
  do {
    std::string text = "[";
    for (std::size_t i = 0; i < items.size(); ++i) {
      text += items[i];
      EXPECT_EQ(next_bytes(few, text), i + 1 < items.size() ? ",]" : "]") << text;
      text += ",";
    }
  } while (std::next_permutation(items.begin(), items.end()));

  // Of strings there is no end, of the others there is.
  StateSpace words(of_schema(
      R"({"type":"array","uniqueItems":true,"prefixItems":[{"type":"string"}],"items":{"type":"boolean"}})"));
  EXPECT_EQ(next_bytes(words, R"(["true",true)"), ",]");
  EXPECT_EQ(next_bytes(words, R"(["true",true,)"), "f");
  EXPECT_EQ(next_bytes(words, R"(["true",true,false)"), "]");
}

// Most of what is allocated is kept: whether there is another item is not found out from all that came.
TEST(StateSpace, ReplaysManyDifferentItemsWithoutLookingAtEachAgain) {
  for (const std::string items : {R"({"type":"string"})", R"({"type":"string","pattern":"^k\\d+$"})"}) {
    StateSpace space(of_schema(R"({"type":"array","uniqueItems":true,"items":)" + items + "}"));
    std::string text = "[";
    for (int i = 0; i < 1500; ++i) text += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\"";
    const emberline::testing::AllocationCounter counter;
    const StateId state = space.replay(space.start(), text);
    EXPECT_LE(counter.all_bytes(), 4 * space.bytes()) << items;
    EXPECT_EQ(space.step(state, R"(,"k7")"), kDead) << items;
    EXPECT_TRUE(space.may_end(space.step(state, R"(,"k1500"])"))) << items;
  }
}

}  // namespace
}  // namespace emberline::grammar
