// Positions against states that are followed byte by byte with every count in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/automaton/random_program.h"
#include "grammar/automaton/token_masks.h"
#include "grammar/grammar.h"
#include "grammar/program_builder.h"
#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/json_text.h"
#include "grammar/regular/pattern.h"
#include "tokenizer/toy_vocabulary.h"

namespace emberline::grammar::testing {
namespace {

using emberline::testing::spelled;
using emberline::testing::ToyVocabulary;

// The bytes, and short tokens: many counts of a small program are further away than they reach.
std::shared_ptr<const TokenTrie> short_tokens() {
  ToyVocabulary vocabulary;
  for (const char* text :
       {"ab",  "aba", "aa", "é",  "éé", "aé1",  "\\n",  "\\\"", "\",\"", "\",", "1,", ",1",  ",1,1",
        "],[", "]",   "],", "[1", "[[", "\":1", "b\":", ",\"a", "},{",   "  ",  " ,", "k\":"})
    vocabulary.add(spelled(text), TokenType::kNormal);
  const auto tokenizer = Tokenizer::from_vocabulary(vocabulary.spec());
  return TokenTrie::build(*tokenizer.value(), tokenizer.value()->vocabulary_size()).value();
}

bool has(std::span<const std::uint64_t> mask, TokenId id) {
  return (mask[id >> 6] >> (id & 63) & 1) != 0;
}

// Follows texts at random, and compares.
class Walker {
 public:
  Walker(std::shared_ptr<const Program> program, std::shared_ptr<const TokenTrie> trie, Random& random)
      : trie_(std::move(trie)), random_(random), space_(std::move(program)), masks_(space_, trie_) {}

  // `masks`: every how many tokens the whole mask is compared; `leave`: one of how many tokens may close
  // something.
  void walk(int tokens, std::uint32_t masks, std::uint32_t leave) {
    state_ = space_.start();
    position_ = state_;
    text_.clear();
    kept_.clear();
    for (int i = 0; i < tokens && state_ != kDead && !::testing::Test::HasFailure(); ++i) {
      compare(i % static_cast<int>(masks) == 0);
      const std::vector<TokenId> allowed = allowed_tokens();
      if (allowed.empty() || !space_.status().ok()) return;
      advance(choice(allowed, leave));
      if (below(random_, 50) == 0) kept_.push_back({position_, state_, text_});
      if (below(random_, 200) == 0 && !kept_.empty()) go_back();
      if (below(random_, 300) == 0 || space_.crowded()) start_over();
    }
  }
  int far = 0, left = 0;  // steps to positions with far counts, and from there to ones without

 private:
  struct Kept {
    Position position;
    StateId state;
    std::string text;
  };

  bool is_far() const { return position_.room[0] > 0; }

  void compare(bool mask) {
    ASSERT_EQ(masks_.exact(position_), state_) << text_.substr(0, 3000);
    EXPECT_EQ(space_.may_end(position_.state), space_.may_end(state_));
    EXPECT_EQ(space_.may_go_on(position_.state), space_.may_go_on(state_));
    if (!mask) return;
    const auto allowed = masks_.allowed(position_);
    for (TokenId id = 0; id < trie_->vocabulary(); ++id) {
      const bool expected = !trie_->bytes(id).empty() && space_.step(state_, trie_->bytes(id)) != kDead;
      if (!space_.status().ok()) return;
      ASSERT_EQ(has(allowed, id), expected)
          << ::testing::PrintToString(std::string(trie_->bytes(id))) << " behind " << text_.substr(0, 3000);
      ASSERT_EQ(masks_.advance(position_, id).state == kDead, !expected);
    }
    const auto forced = masks_.forced_text(position_, 40), plainly = masks_.forced_text(state_, 40);
    EXPECT_EQ(forced.bytes, plainly.bytes);
    EXPECT_EQ(forced.whole, plainly.whole);
  }
  std::vector<TokenId> allowed_tokens() {
    const auto mask = masks_.allowed(position_);
    std::vector<TokenId> allowed;
    for (TokenId id = 0; id < trie_->vocabulary(); ++id)
      if (has(mask, id)) allowed.push_back(id);
    return allowed;
  }
  // Added tokens rather than bytes, and what leaves things open rather than not.
  TokenId choice(const std::vector<TokenId>& allowed, std::uint32_t leave) {
    const bool closes = below(random_, leave) == 0;
    TokenId best = allowed.front();
    int best_score = -100;
    for (int tries = 0; tries < 6; ++tries) {
      const TokenId id = allowed[below(random_, static_cast<std::uint32_t>(allowed.size()))];
      int score = trie_->bytes(id).size() > 1 ? 1 : 0;
      for (const char c : trie_->bytes(id))
        score += (std::string_view("\"]})").find(c) != std::string_view::npos) == closes ? 0 : -2;
      if (score > best_score) {
        best = id;
        best_score = score;
      }
    }
    return best;
  }
  void advance(TokenId token) {
    const bool before = is_far();
    state_ = space_.step(state_, trie_->bytes(token));
    position_ = masks_.advance(position_, token);
    text_ += trie_->bytes(token);
    far += is_far() ? 1 : 0;
    left += before && !is_far() ? 1 : 0;
  }
  void go_back() {
    const Kept& kept = kept_[below(random_, static_cast<std::uint32_t>(kept_.size()))];
    position_ = kept.position;
    state_ = kept.state;
    text_ = kept.text;
  }
  void start_over() {
    masks_.start_over(position_);
    state_ = space_.step(space_.start(), text_);
    kept_.clear();
  }

  std::shared_ptr<const TokenTrie> trie_;
  Random& random_;
  StateSpace space_;
  TokenMasks masks_;
  StateId state_ = kDead;
  Position position_;
  std::string text_;
  std::vector<Kept> kept_;
};

TEST(Positions, OfRandomProgramsAreWhereEveryByteAloneLeads) {
  const std::shared_ptr<const TokenTrie> trie = short_tokens();
  int far = 0, left = 0;
  for (unsigned seed = 0; seed < 150 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Walker walker(random_program(random, 5 + below(random, 20)), trie, random);
    for (int walk = 0; walk < 3; ++walk) walker.walk(100, 7, 10);
    far += walker.far;
    left += walker.left;
  }
  EXPECT_GT(far, 8000);
  EXPECT_GT(left, 250);
}

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

TEST(Positions, OfSchemasAreWhereEveryByteAloneLeads) {
  const std::shared_ptr<const TokenTrie> trie = short_tokens();
  int far = 0, left = 0;
  for (unsigned seed = 0; seed < 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::string schema = random_bounded_schema(random, seed % 2 == 0 ? 30 : 100, 3);
    const auto grammar = Grammar::from_schema(schema, random_layout(random));
    if (!grammar.ok()) continue;
    SCOPED_TRACE(schema);
    Walker walker(grammar.value()->program(), trie, random);
    for (int walk = 0; walk < 3; ++walk) walker.walk(300, 19, 40);
    far += walker.far;
    left += walker.left;
  }
  EXPECT_GT(far, 30000);
  EXPECT_GT(left, 400);
}

TEST(Positions, OfLongTextsAreWhereEveryByteAloneLeads) {
  const std::shared_ptr<const TokenTrie> trie = short_tokens();
  int left = 0;
  for (const char* schema :
       {R"({"type":"string","minLength":900,"maxLength":2500})",
        R"({"type":"string","pattern":"^(ab|é)*$","minLength":600,"maxLength":3000})",
        R"({"anyOf":[{"type":"string","minLength":700},{"type":"string","pattern":"^a","maxLength":1500}]})",
        R"({"type":"array","minItems":600,"maxItems":1800,"items":{"type":"integer","maximum":99}})",
        R"({"type":"array","minItems":700,"items":{"type":"array","maxItems":900,)"
        R"("items":{"type":"string","maxLength":600}}})"}) {
    SCOPED_TRACE(schema);
    const auto grammar = Grammar::from_schema(schema, Layout{});
    ASSERT_TRUE(grammar.ok());
    Random random(1);
    Walker walker(grammar.value()->program(), trie, random);
    walker.walk(5000, 97, 100);
    EXPECT_GT(walker.far, 700);
    left += walker.left;
  }
  EXPECT_GT(left, 8);
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
      Walker walker(grammar.value()->program(), trie, random);
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
    Walker walker(std::make_shared<const Program>(std::move(program).value()), trie, random);
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
    EXPECT_EQ(has(mask, id), expected) << trie->bytes(id);
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
