// Positions against states that are followed byte by byte with every count in them, in random grammars.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "grammar/automaton/position_walker.h"
#include "grammar/automaton/random_program.h"
#include "grammar/grammar.h"
#include "grammar/program_builder.h"
#include "grammar/regular/dfa_operations.h"

namespace emberline::grammar::testing {
namespace {

TEST(PositionsRandom, OfRandomProgramsAreWhereEveryByteAloneLeads) {
  const std::shared_ptr<const TokenTrie> trie = short_tokens();
  int far = 0, left = 0;
  for (unsigned seed = 0; seed < 150 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    PositionWalker walker(random_program(random, 5 + below(random, 20)), trie, random);
    for (int walk = 0; walk < 3; ++walk) walker.walk(100, 7, 10);
    far += walker.far;
    left += walker.left;
  }
  EXPECT_GT(far, 3000);
  EXPECT_GT(left, 100);
}

// Which schema a seed gives is the compiler's choice, in part: it may evaluate operands in any order.
// Bounds of one thing, near and far, of two configurations, and of things in things.
std::string random_bounded_schema(Random& random, std::uint32_t scale, int depth) {
  const auto bounds = [&](const char* least, const char* most) {
    const std::uint32_t first = below(random, 3) * scale / 2 + below(random, 5);
    std::string text;
    if (coin(random)) text += ",\"" + std::string(least) + "\":" + std::to_string(first);
    if (below(random, 4) != 0)
      text += ",\"" + std::string(most) + "\":" + std::to_string(first + below(random, scale) + 3);
    return text;
  };
  switch (below(random, depth > 0 ? 8 : 3)) {
    case 0: return R"({"type":"string")" + bounds("minLength", "maxLength") + "}";
    case 1: return R"({"type":"string","pattern":"^((ab)+|é)*$")" + bounds("minLength", "maxLength") + "}";
    case 2: return R"({"type":"integer"})";
    case 3:
      return R"({"anyOf":[)" + random_bounded_schema(random, scale, depth - 1) + "," +
             random_bounded_schema(random, scale, depth - 1) + "]}";
    case 4:
      return R"({"type":"object","additionalProperties":)" + random_bounded_schema(random, scale, depth - 1) +
             R"(,"properties":{"k":{"type":"integer"},"ab":{"const":1}})" +
             bounds("minProperties", "maxProperties") + "}";
    case 5:
      return R"({"type":"array","contains":{"const":1})" + bounds("minItems", "maxItems") +
             bounds("minContains", "maxContains") + R"(,"items":{"type":"integer"}})";
    default:
      return R"({"type":"array","items":)" + random_bounded_schema(random, scale, depth - 1) +
             bounds("minItems", "maxItems") + "}";
  }
}

TEST(PositionsRandom, OfSchemasAreWhereEveryByteAloneLeads) {
  const std::shared_ptr<const TokenTrie> trie = short_tokens();
  int far = 0, left = 0;
  for (unsigned seed = 0; seed < 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::string schema = random_bounded_schema(random, seed % 2 == 0 ? 30 : 100, 3);
    const auto grammar = Grammar::from_schema(schema, random_layout(random));
    if (!grammar.ok()) continue;
    SCOPED_TRACE(schema);
    PositionWalker walker(grammar.value()->program(), trie, random);
    for (int walk = 0; walk < 3; ++walk) walker.walk(300, 19, 40);
    far += walker.far;
    left += walker.left;
  }
  EXPECT_GT(far, 10000);
  EXPECT_GT(left, 150);
}

// Items of two kinds, of which one is counted.
TEST(PositionsRandom, OfCountedItemsAreWhereEveryByteAloneLeads) {
  const std::shared_ptr<const TokenTrie> trie = short_tokens();
  int far = 0, left = 0;
  for (unsigned seed = 0; seed < 120 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ProgramBuilder builder;
    const auto value = [&](const char* text) {
      const Pc at = builder.emit(Op::kTerminal, builder.add_terminal({literal(text), 0, kUnbounded, {}}));
      builder.emit(Op::kReturn);
      return at;
    };
    const Pc counted = value("b"), other = value(coin(random) ? "1" : "b");
    ArrayRule array;
    for (std::uint32_t i = below(random, 3); i > 0; --i) array.prefix.push_back({other, counted});
    if (below(random, 3) != 0) array.rest.value = other;
    if (below(random, 3) != 0) array.rest.counted = counted;
    array.least = below(random, 60);
    if (below(random, 3) != 0) array.most = array.least + below(random, 50);
    if (below(random, 3) != 0) array.least_counted = below(random, 30);
    if (coin(random)) array.most_counted = array.least_counted + below(random, 40);
    const Pc start = builder.emit(Op::kArray, builder.add_array(std::move(array)));
    builder.emit(Op::kReturn);
    Result<Program> program = std::move(builder).finish(start, Layout{});
    ASSERT_TRUE(program.ok());
    PositionWalker walker(std::make_shared<const Program>(std::move(program).value()), trie, random);
    for (int walk = 0; walk < 2; ++walk) walker.walk(120, 3, 30);
    far += walker.far;
    left += walker.left;
  }
  EXPECT_GT(far, 500);
  EXPECT_GT(left, 15);
}

}  // namespace
}  // namespace emberline::grammar::testing
