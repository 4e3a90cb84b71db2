// Positions against states that are followed byte by byte with every count in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "grammar/automaton/position_walker.h"
#include "grammar/grammar.h"
#include "grammar/program_builder.h"
#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/json_text.h"
#include "grammar/regular/pattern.h"

namespace emberline::grammar::testing {
namespace {

TEST(Positions, OfLongTextsAreWhereEveryByteAloneLeads) {
  const std::shared_ptr<const TokenTrie> trie = short_tokens();
  int left = 0;
  for (const char* schema :
       {R"({"type":"string","minLength":900,"maxLength":2500})",
        R"({"type":"string","pattern":"^(ab|é)*$","minLength":600,"maxLength":3000})",
        R"({"anyOf":[{"type":"string","minLength":700},{"type":"string","pattern":"^a","maxLength":1500}]})",
        R"({"type":"array","minItems":600,"maxItems":1800,"items":{"type":"integer","maximum":99}})",
        R"({"type":"array","maxItems":2000,"contains":{"const":1111},"items":{"type":"integer"}})",
        R"({"type":"array","minItems":600,"maxItems":2000,"contains":{"const":1},"minContains":2,)"
        R"("maxContains":30,"items":{"type":"integer"}})",
        R"({"type":"array","minItems":700,"items":{"type":"array","maxItems":900,)"
        R"("items":{"type":"string","maxLength":600}}})"}) {
    SCOPED_TRACE(schema);
    const auto grammar = Grammar::from_schema(schema, Layout{});
    ASSERT_TRUE(grammar.ok());
    Random random(1);
    PositionWalker walker(grammar.value()->program(), trie, random);
    walker.walk(5000, 97, 100);
    EXPECT_GT(walker.far, 700);
    left += walker.left;
  }
  EXPECT_GT(left, 8);
}

TEST(Positions, OfMoreCountsThanTheyHoldAreWhereEveryByteAloneLeads) {
  const std::shared_ptr<const TokenTrie> trie = short_tokens();
  const auto grammar = Grammar::from_schema(
      R"({"type":["array","integer"],"items":{"$ref":"#"},"minItems":1,"maxItems":40})", Layout{});
  ASSERT_TRUE(grammar.ok());
  StateSpace space(grammar.value()->program());
  TokenMasks masks(space, trie);
  const std::string nested = std::string(14, '[') + "1" + std::string(14, ']');
  StateId state = space.start();
  Position position = state;
  int depth = 0;
  for (const char c : nested) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    state = space.step(state, static_cast<unsigned char>(c));
    position = masks.advance(position, static_cast<unsigned char>(c));
    EXPECT_EQ(masks.exact(position), state);
    const auto held =
        std::count_if(position.room.begin(), position.room.end(), [](auto room) { return room > 0; });
    EXPECT_EQ(held, depth <= int{Position::kMostCounts} ? depth : 0);
  }
}

TEST(Positions, OfRepetitionsAreWhereEveryByteAloneLeads) {
  const std::shared_ptr<const TokenTrie> trie = short_tokens();
  for (const char* gbnf : {
           R"(root ::= ("a" | "ab" | "b"){20,60} ".")",
           R"(root ::= (("a" | "é"){2,40} ","){3,50} "b")",
           R"(root ::= "a"{300} ("1" "," "1"){30,} | "ab"{20,70} "é"{40})",
           "root ::= x{30,90}\nx ::= \"a\"{15,} \"b\" | \"é\"{,25} \"1\" | \"[\" x \"]\"",
       }) {
    SCOPED_TRACE(gbnf);
    const auto grammar = Grammar::from_gbnf(gbnf);
    ASSERT_TRUE(grammar.ok());
    for (unsigned seed = 0; seed < 10 && !HasFailure(); ++seed) {
      Random random(seed);
      PositionWalker walker(grammar.value()->program(), trie, random);
      walker.walk(400, 17, 3);
    }
  }
}

TEST(Positions, OfALongTextTakeFewStates) {
  const std::shared_ptr<const TokenTrie> trie = short_tokens();
  const auto bytes = [&](const char* schema) {
    const auto grammar = Grammar::from_schema(schema, Layout{});
    StateSpace space(grammar.value()->program());
    TokenMasks masks(space, trie);
    Position position = masks.advance(space.start(), '"');
    for (int i = 0; i < 50000; ++i) position = masks.advance(position, static_cast<TokenId>('a' + i % 26));
    EXPECT_NE(position.state, kDead);
    EXPECT_EQ(space.epoch(), 0u);
    return space.bytes() + masks.bytes();
  };
  EXPECT_LT(bytes(R"({"type":"string","maxLength":100000})"), 1u << 20);
  EXPECT_LT(bytes(R"({"type":"string","minLength":100000})"), 1u << 20);
}

TEST(Positions, OfKeysThatRunOutAreWhereEveryByteAloneLeads) {
  const std::shared_ptr<const TokenTrie> trie = short_tokens();
  for (unsigned seed = 0; seed < 30 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ProgramBuilder builder;
    const Pc value = builder.emit(Op::kTerminal, builder.add_terminal({literal("1"), 0, kUnbounded, {}}));
    builder.emit(Op::kReturn);
    ObjectRule object;
    object.keys = json_text(pattern_language("^[ab]{4}$").value(), true).value().dfa;
    object.members = {{value, kNone}};
    object.distinct_others = true;
    object.least = 16 - below(random, 3);
    object.most = coin(random) ? 30 : kUnbounded;
    const Pc start = builder.emit(Op::kObject, builder.add_object(std::move(object)));
    builder.emit(Op::kReturn);
    Result<Program> program = std::move(builder).finish(start, Layout{});
    ASSERT_TRUE(program.ok());
    PositionWalker walker(std::make_shared<const Program>(std::move(program).value()), trie, random);
    walker.walk(400, 5, 2);
  }
}

// What may come in an item depends on which texts it may still become, however far its bound is.
TEST(Positions, InUniqueItemsAreExactAtEveryDistance) {
  const std::shared_ptr<const TokenTrie> trie = short_tokens();
  ProgramBuilder builder;
  const auto emit = [&](Terminal terminal) {
    return builder.emit(Op::kTerminal, builder.add_terminal(std::move(terminal)));
  };
  JsonText text = json_text(pattern_language("^a*$").value(), false).value();
  const Pc item = emit({literal("\""), 0, kUnbounded, {}});
  emit({std::move(text.dfa), 0, 20, std::move(text.between)});
  emit({literal("\""), 0, kUnbounded, {}});
  builder.emit(Op::kReturn);
  ArrayRule array;
  array.rest.value = item;
  array.unique = true;
  const Pc start = builder.emit(Op::kArray, builder.add_array(std::move(array)));
  builder.emit(Op::kReturn);
  Result<Program> program = std::move(builder).finish(start, Layout{});
  ASSERT_TRUE(program.ok());
  StateSpace space(std::make_shared<const Program>(std::move(program).value()));
  TokenMasks masks(space, trie);
  std::string items = "[";
  for (std::size_t length = 7; length <= 20; ++length) items += "\"" + std::string(length, 'a') + "\",";
  const StateId behind = space.step(space.start(), items + "\"aaaaa");
  const auto mask = masks.allowed(behind);
  for (TokenId id = 0; id < trie->vocabulary(); ++id) {
    const bool expected = !trie->bytes(id).empty() && space.step(behind, trie->bytes(id)) != kDead;
    EXPECT_EQ(has_token(mask, id), expected) << trie->bytes(id);
  }
}

TEST(Positions, ForceTextUpToABoundThatIsFarAway) {
  const std::shared_ptr<const TokenTrie> trie = short_tokens();
  const auto grammar =
      Grammar::from_schema(R"({"type":"array","items":{"const":1},"minItems":30,"maxItems":30})", Layout{});
  ASSERT_TRUE(grammar.ok());
  StateSpace space(grammar.value()->program());
  TokenMasks masks(space, trie);
  const auto forced = masks.forced_text(masks.advance(space.start(), '['), 100);
  EXPECT_EQ(forced.bytes.size(), 60u);
  EXPECT_TRUE(forced.whole);
}

}  // namespace
}  // namespace emberline::grammar::testing
