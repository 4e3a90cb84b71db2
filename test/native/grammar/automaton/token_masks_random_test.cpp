// Masks against every token fed byte by byte, on random programs and walks.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "grammar/automaton/layout_text.h"
#include "grammar/automaton/random_program.h"
#include "grammar/automaton/random_unique_schema.h"
#include "grammar/automaton/token_bits.h"
#include "grammar/automaton/token_masks.h"
#include "grammar/gbnf/random_gbnf.h"
#include "grammar/grammar.h"
#include "random_cases.h"
#include "tokenizer/embedded_tokenizer.h"
#include "tokenizer/toy_vocabulary.h"

namespace emberline::grammar::testing {
namespace {

using emberline::testing::load_embedded_tokenizer;
using emberline::testing::random_cases;
using emberline::testing::random_cases_least;
using emberline::testing::spelled;
using emberline::testing::ToyVocabulary;

// Tokens that cross the borders of everything a random program has.
std::unique_ptr<Tokenizer> toy_tokenizer(unsigned seed) {
  Random random(seed);
  ToyVocabulary vocabulary;
  static const std::vector<std::string> kParts{
      "a", "b", "1",  "k",    "\"", "\"", "\\", "{",    "}",    "[", "]",   ",",   ":",  "\"k\"", "ab",
      "x", " ", "\n", "\r\n", "\t", "(",  ")",  "\xC3", "\xA9", "é", "\":", ",\"", "  ", "\\n"};
  for (int i = 0; i < 900; ++i) {
    std::string text;
    for (std::uint32_t parts = 1 + below(random, 6); parts > 0; --parts)
      text += kParts[below(random, static_cast<std::uint32_t>(kParts.size()))];
    vocabulary.add(spelled(text), TokenType::kNormal);
  }
  vocabulary.add(spelled(std::string(40, 'a')), TokenType::kNormal);
  vocabulary.add(spelled(std::string(70, ' ')), TokenType::kNormal);
  auto tokenizer = Tokenizer::from_vocabulary(vocabulary.spec());
  return tokenizer.ok() ? std::move(tokenizer).value() : nullptr;
}

class Comparison {
 public:
  Comparison(std::shared_ptr<const Program> program, std::shared_ptr<const TokenTrie> trie)
      : trie_(trie), space_(program, few()), plain_(program, few()), masks_(space_, trie) {}

  // With the 4,096 of StateBounds a few grammars take minutes.
  static StateBounds few() {
    StateBounds bounds;
    bounds.configurations = 400;
    return bounds;
  }
  StateId start() { return space_.start(); }
  // The allowed tokens, after they were compared. Empty where they differ.
  std::vector<TokenId> compare(const Position& position, const std::string& text) {
    const std::span<const std::uint64_t> mask = masks_.allowed(position);
    if (plain_.crowded()) plain_.start_over({});
    StateId same = plain_.step(plain_.start(), text);
    std::vector<TokenId> allowed;
    for (TokenId id = 0; id < trie_->vocabulary(); ++id) {
      if (plain_.crowded()) plain_.start_over({&same, 1});
      const std::string_view bytes = trie_->bytes(id);
      const bool expected = !bytes.empty() && plain_.step(same, bytes) != kDead;
      // Too many ways to read one text: a bound.
      if (!plain_.status().ok() || !space_.status().ok()) return {};
      if (has_token(mask, id) != expected) {
        ADD_FAILURE() << "token " << ::testing::PrintToString(std::string(bytes)) << " behind "
                      << ::testing::PrintToString(text) << (expected ? ": missing" : ": too much");
        return {};
      }
      if (expected) allowed.push_back(id);
    }
    ++comparisons;
    return allowed;
  }
  // Few long tokens, and all of them now and then.
  void walk(Random& random, int tokens, std::string text = "") {
    Position position(space_.step(start(), text));
    ASSERT_NE(position.state, kDead) << text;
    for (int i = 0; i < tokens; ++i) {
      const std::vector<TokenId> allowed = compare(position, text);
      if (allowed.empty()) return;
      TokenId token = allowed[below(random, static_cast<std::uint32_t>(allowed.size()))];
      for (int tries = 0; tries < 4; ++tries) {
        const TokenId other = allowed[below(random, static_cast<std::uint32_t>(allowed.size()))];
        if (closing(other) > closing(token)) token = other;
      }
      position = masks_.advance(position, token);
      ASSERT_NE(position.state, kDead);
      text += trie_->bytes(token);
      ++steps;
      if (space_.crowded()) masks_.start_over(position);
    }
  }
  static int steps;
  int comparisons = 0;

 private:
  int closing(TokenId id) const {
    int count = 0;
    for (const char c : trie_->bytes(id))
      count += std::string_view("\"{}[],:\n").find(c) != std::string_view::npos;
    return count;
  }
  std::shared_ptr<const TokenTrie> trie_;
  StateSpace space_, plain_;
  TokenMasks masks_;
};
int Comparison::steps = 0;

TEST(TokenMasksRandom, AreWhatEveryTokenAloneWouldGive) {
  Comparison::steps = 0;
  const std::unique_ptr<Tokenizer> tokenizer = toy_tokenizer(1);
  ASSERT_NE(tokenizer, nullptr);
  const std::shared_ptr<const TokenTrie> trie =
      TokenTrie::build(*tokenizer, tokenizer->vocabulary_size() + 70).value();
  for (int seed = 0; seed < random_cases(600) && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint32_t>(seed));
    Comparison comparison(random_program(random), trie);
    for (int walk = 0; walk < 3 && !HasFailure(); ++walk) comparison.walk(random, 12);
  }
  EXPECT_GT(Comparison::steps, random_cases_least(6000));
}

// A schema of a few keywords, all of which can be enforced.
std::string random_schema(Random& random, int depth) {
  const auto number = [&](std::uint32_t end) { return std::to_string(below(random, end)); };
  switch (below(random, depth > 0 ? 9 : 6)) {
    case 0: return R"({"type":"string"})";
    case 1:
      return R"({"type":"string","minLength":)" + number(3) + R"(,"maxLength":)" + number(3) + number(10) +
             "}";
    case 2: return R"({"type":"integer","minimum":)" + number(20) + "}";
    case 3: return R"({"enum":["a","ab",1,null,{"k":[]}]})";
    case 4: return R"({"type":"string","pattern":"^[ab]+1?$"})";
    case 5: return R"({"type":["number","boolean"]})";
    case 6:
      return R"({"type":"array","items":)" + random_schema(random, depth - 1) + R"(,"maxItems":1)" +
             number(20) + (coin(random) ? R"(,"uniqueItems":false})" : "}");
    case 7:
      return R"({"anyOf":[)" + random_schema(random, depth - 1) + "," + random_schema(random, depth - 1) +
             "]}";
    default:
      return R"({"type":"object","properties":{"k":)" + random_schema(random, depth - 1) + R"(,"ab":)" +
             random_schema(random, depth - 1) + R"(},"required":["k"])" +
             (coin(random) ? R"(,"additionalProperties":false)" : "") +
             (coin(random) ? R"(,"minProperties":2)" : "") + "}";
  }
}

TEST(TokenMasksRandom, OfGrammarsAreWhatEveryTokenAloneWouldGive) {
  const std::unique_ptr<Tokenizer> tokenizer = toy_tokenizer(2);
  const std::shared_ptr<const TokenTrie> trie =
      TokenTrie::build(*tokenizer, tokenizer->vocabulary_size()).value();
  int grammars = 0;
  for (unsigned seed = 0; seed < 800 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto grammar = seed % 2 == 0
                             ? Grammar::from_gbnf(emberline::testing::RandomGbnf(seed).text())
                             : Grammar::from_schema(random_schema(random, 2), random_layout(random));
    if (!grammar.ok()) continue;
    Comparison comparison(grammar.value()->program(), trie);
    if (comparison.start() == kDead) continue;
    for (int walk = 0; walk < 2 && !HasFailure(); ++walk) comparison.walk(random, 10);
    grammars += comparison.comparisons > 0 ? 1 : 0;
  }
  EXPECT_GE(grammars, 500);
}

TEST(TokenMasksRandom, OfUniqueItemsAreWhatEveryTokenAloneWouldGive) {
  Comparison::steps = 0;
  const std::unique_ptr<Tokenizer> tokenizer = toy_tokenizer(5);
  const std::shared_ptr<const TokenTrie> trie =
      TokenTrie::build(*tokenizer, tokenizer->vocabulary_size()).value();
  for (int seed = 0; seed < random_cases(70) && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint32_t>(seed));
    RandomUniqueSchema schemas(random);
    const std::string schema = seed % 3 == 0 ? schemas.make_witnesses() : schemas.make();
    const auto grammar = Grammar::from_schema(schema, random_layout(random));
    if (!grammar.ok()) continue;
    Comparison comparison(grammar.value()->program(), trie);
    if (comparison.start() == kDead) continue;
    for (int walk = 0; walk < 2 && !HasFailure(); ++walk) comparison.walk(random, 20);
  }
  EXPECT_GT(Comparison::steps, random_cases_least(1000));
}

// Further from a bound than the longest token, at that distance, and at the bound.
TEST(TokenMasks, AreExactAtEveryDistanceFromABound) {
  const std::unique_ptr<Tokenizer> tokenizer = toy_tokenizer(3);
  const std::shared_ptr<const TokenTrie> trie =
      TokenTrie::build(*tokenizer, tokenizer->vocabulary_size()).value();
  const auto check = [&](const std::string& schema, const std::string& front, const std::string& repeated) {
    const auto grammar = Grammar::from_schema(schema, Layout{});
    ASSERT_TRUE(grammar.ok()) << schema;
    Random random(1);
    Comparison comparison(grammar.value()->program(), trie);
    std::string text = front;
    for (int count = 0; count < 200 && !HasFailure(); ++count) {
      if (count % 7 == 0 || count > 120) comparison.walk(random, 2, text);
      text += repeated;
      if (const std::size_t at = text.rfind('#'); at != std::string::npos)
        text.replace(at, 1, std::to_string(count));
    }
  };
  check(R"({"type":"string","minLength":100,"maxLength":202})", "\"", "é");
  check(R"({"type":"string","pattern":"^(ab)*$","maxLength":402})", "\"", "ab");
  check(R"({"type":"array","items":{"type":"integer"},"minItems":100,"maxItems":202})", "[", "1,");
  check(R"({"type":"array","items":{"enum":[1,[],"a"]},"maxItems":202})", "[[]", ",1");
  check(
      R"({"type":"object","additionalProperties":{"type":"integer"},"minProperties":100,"maxProperties":202})",
      "{", "\"#\":1,");
}

TEST(TokenMasks, AreTheSameWhenManyWereForgotten) {
  const std::unique_ptr<Tokenizer> tokenizer = toy_tokenizer(4);
  // So wide that few masks fit.
  const std::shared_ptr<const TokenTrie> trie = TokenTrie::build(*tokenizer, 1u << 20).value();
  const auto grammar = Grammar::from_schema(R"({"type":"string","maxLength":400})", Layout{});
  ASSERT_TRUE(grammar.ok());
  StateSpace space(grammar.value()->program());
  TokenMasks masks(space, trie);
  const auto mask_at = [&](std::size_t characters) {
    const auto mask = masks.allowed(space.step(space.start(), "\"" + std::string(characters, 'a')));
    return std::vector<std::uint64_t>(mask.begin(), mask.end());
  };
  const std::vector<std::uint64_t> first = mask_at(395);
  for (std::size_t characters = 200; characters <= 400; ++characters) mask_at(characters);
  EXPECT_EQ(mask_at(395), first);
  EXPECT_LT(masks.bytes(), 40u << 20);
  StateId state = space.step(space.start(), "\"" + std::string(395, 'a'));
  space.start_over({&state, 1});
  const auto again = masks.allowed(state);
  EXPECT_EQ(std::vector<std::uint64_t>(again.begin(), again.end()), first);
}

TEST(TokenMasks, ReadTokenSetsAsWholeTokens) {
  ToyVocabulary vocabulary;
  const TokenId think = vocabulary.add("<think>", TokenType::kControl);
  const TokenId end = vocabulary.add("<end>", TokenType::kControl);
  VocabularySpec spec = vocabulary.spec();
  spec.eos = end;
  const auto tokenizer = Tokenizer::from_vocabulary(spec);
  ASSERT_TRUE(tokenizer.ok());
  const auto trie = TokenTrie::build(*tokenizer.value(), tokenizer.value()->vocabulary_size()).value();
  const auto grammar = Grammar::from_gbnf(R"gbnf(root ::= <think> !<think> "a")gbnf");
  ASSERT_TRUE(grammar.ok()) << grammar.error().message();
  StateSpace space(grammar.value()->program());
  TokenMasks masks(space, trie);
  ASSERT_TRUE(masks.status().ok());
  EXPECT_TRUE(has_token(masks.allowed(space.start()), think));
  EXPECT_FALSE(has_token(masks.allowed(space.start()), '<'));
  const Position inside = masks.advance(space.start(), think);
  EXPECT_TRUE(has_token(masks.allowed(inside), 'x'));
  EXPECT_FALSE(has_token(masks.allowed(inside), think));
  EXPECT_FALSE(has_token(masks.allowed(inside), end));
  EXPECT_EQ(masks.advance(inside, think).state, kDead);
  const Position behind = masks.advance(inside, 'x');
  EXPECT_TRUE(space.may_end(masks.advance(behind, 'a').state));
  const auto missing = Grammar::from_gbnf(R"gbnf(root ::= <nowhere>)gbnf");
  ASSERT_TRUE(missing.ok());
  StateSpace other(missing.value()->program());
  EXPECT_EQ(TokenMasks(other, trie).status().code(), ErrorCode::kGrammarInvalid);
}

TEST(TokenMasks, ForceWhatHasOneSpelling) {
  const ToyVocabulary vocabulary;
  const auto tokenizer = Tokenizer::from_vocabulary(vocabulary.spec());
  ASSERT_TRUE(tokenizer.ok());
  const auto trie = TokenTrie::build(*tokenizer.value(), tokenizer.value()->vocabulary_size()).value();
  const auto grammar = Grammar::from_schema(
      R"({"type":"object","properties":{"name":{"type":["string","null"]}},"required":["name"],)"
      R"("additionalProperties":false})",
      Layout{});
  ASSERT_TRUE(grammar.ok());
  StateSpace space(grammar.value()->program());
  TokenMasks masks(space, trie);
  const auto forced = [&](std::string_view behind, std::size_t most) {
    return masks.forced_text(space.step(space.start(), behind), most);
  };
  EXPECT_EQ(forced("", 100).bytes, "{\"name\":");
  EXPECT_FALSE(forced("", 100).whole);
  EXPECT_EQ(forced("", 1).bytes, "{");
  EXPECT_EQ(forced("{\"name\":nu", 100).bytes, "ll}");
  EXPECT_TRUE(forced("{\"name\":nu", 100).whole);
  EXPECT_EQ(forced("{\"name\":", 100).bytes, "");
}

TEST(TokenMasksRealModel, AreWhatEveryTokenAloneWouldGive) {
  Comparison::steps = 0;
  const std::unique_ptr<Tokenizer> tokenizer = load_embedded_tokenizer();
  ASSERT_NE(tokenizer, nullptr);
  const std::shared_ptr<const TokenTrie> trie =
      TokenTrie::build(*tokenizer, tokenizer->vocabulary_size()).value();
  for (unsigned seed = 5000; seed < 5025 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Comparison comparison(random_program(random), trie);
    for (int walk = 0; walk < 2 && !HasFailure(); ++walk) comparison.walk(random, 8);
  }
  EXPECT_GT(Comparison::steps, 150);
}

// Whatever is taken as a whole there: characters of a kind, all that is short enough, what goes on the same
// way.
TEST(TokenMasksRealModel, OfPatternsAreWhatEveryTokenAloneWouldGive) {
  Comparison::steps = 0;
  const std::unique_ptr<Tokenizer> tokenizer = load_embedded_tokenizer();
  ASSERT_NE(tokenizer, nullptr);
  const std::shared_ptr<const TokenTrie> trie =
      TokenTrie::build(*tokenizer, tokenizer->vocabulary_size()).value();
  const auto check = [&](const std::string& schema, const std::vector<std::string>& fronts) {
    SCOPED_TRACE(schema);
    const auto grammar = Grammar::from_schema(schema, Layout{});
    ASSERT_TRUE(grammar.ok()) << grammar.error().message();
    Random random(3);
    Comparison comparison(grammar.value()->program(), trie);
    for (const std::string& front : fronts) comparison.walk(random, 2, front);
  };
  const auto pattern = [](const std::string& text, const std::string& more = "") {
    return R"({"type":"string","pattern":")" + text + "\"" + more + "}";
  };
  check(pattern("^[a-z_][a-z0-9_]*$"), {"\"", "\"na"});
  check(pattern("^[^:]+:[^:]+$"), {"\"", "\"key", "\"key:"});
  check(pattern("^[^:]+:[^:]+$", R"(,"maxLength":12)"), {"\"", "\"key", "\"key:val"});
  check(pattern("^[^:]+:[^:]+$", R"(,"minLength":4,"maxLength":60)"), {"\"", "\"ke", "\"k:"});
  check(pattern("[0-9]{3}", R"(,"maxLength":20)"), {"\"", "\"room 2", "\"room 204"});
  check(pattern("^https?://.*$"), {"\"", "\"https://"});
  check(pattern("^(\\\\S+\\\\s+){0,5}\\\\S+$"), {"\"", "\"a few words"});
  check(pattern("^[a-z]{3,9}$"), {"\"", "\"abcde"});
  check(pattern("^[A-Z][a-zé]*(-[a-z]+)*$"), {"\"", "\"Caf"});
  check(pattern("^[^\\\\u4e2d]+$", R"(,"maxLength":9)"), {"\"", "\"é"});
  check(R"({"type":"string","minLength":2,"maxLength":9})", {"\"", "\"a few w"});
  check(
      R"({"type":"object","patternProperties":{"^[a-z]+$":{"type":"integer"},"^.*_id$":{"type":"string"}}})",
      {"{\"", "{\"a"});
  check(R"({"type":"object","propertyNames":{"pattern":"^[a-z][A-Za-z0-9]*$"}})", {"{\"", "{\"aB"});
  check(R"({"type":"object","properties":{"name":{"type":"string"}},"minProperties":1})", {"{\"", "{\"na"});
  EXPECT_GT(Comparison::steps, 50);
}

// Dozens of ways to read on, which allow much the same.
TEST(TokenMasksRealModel, OfManyAlternativesAreWhatEveryTokenAloneWouldGive) {
  Comparison::steps = 0;
  const std::unique_ptr<Tokenizer> tokenizer = load_embedded_tokenizer();
  ASSERT_NE(tokenizer, nullptr);
  const std::shared_ptr<const TokenTrie> trie =
      TokenTrie::build(*tokenizer, tokenizer->vocabulary_size()).value();
  static const std::vector<std::string> kNames{"name", "names", "value", "key_file", "na", "n", "path", "é"};
  static const std::vector<std::string> kTexts{"", R"(,"maxLength":6)", R"(,"pattern":"^[a-z]+$")"};
  for (const bool closed : {true, false}) {
    std::string schema = R"({"anyOf":[)";
    for (std::size_t i = 0; i < 12; ++i) {
      schema += R"({"type":"object","properties":{"kind":{"const":)" + std::to_string(i) + "}";
      for (std::size_t name = 0; name < kNames.size(); ++name) {
        if ((i * 7 + name * 3) % 4 == 0) continue;
        schema += ",\"" + kNames[name] + "\":";
        schema += (i + name) % 3 == 0 ? R"({"type":"integer"})"
                                      : R"({"type":"string")" + kTexts[(i + name) % kTexts.size()] + "}";
      }
      schema += R"(},"required":["kind"])";
      schema +=
          closed
              ? R"(,"additionalProperties":false},)"
              : R"(,"additionalProperties":{"type":"array","items":{"enum":["a","b"]},"uniqueItems":true}},)";
    }
    schema.back() = ']';
    const auto grammar = Grammar::from_schema(schema + "}", Layout{});
    ASSERT_TRUE(grammar.ok()) << grammar.error().message();
    Random random(9);
    Comparison comparison(grammar.value()->program(), trie);
    for (const std::string front :
         {"{", "{\"", "{\"na", "{\"name\":", "{\"name\":\"ab", "{\"value\":\"abcde"})
      comparison.walk(random, 2, front);
    if (!closed) comparison.walk(random, 2, "{\"others\":[\"a\"");
  }
  EXPECT_GT(Comparison::steps, 15);
}

// Behind what a grammar of its own reads on, plain characters go on.
TEST(TokenMasksRealModel, OfOpenEndsAreWhatEveryTokenAloneWouldGive) {
  Comparison::steps = 0;
  const std::unique_ptr<Tokenizer> tokenizer = load_embedded_tokenizer();
  ASSERT_NE(tokenizer, nullptr);
  const std::shared_ptr<const TokenTrie> trie =
      TokenTrie::build(*tokenizer, tokenizer->vocabulary_size()).value();
  for (const std::string text : {R"gbnf(root ::= [a-z]+ " = " [^\n]+ "\n")gbnf",
                                 R"gbnf(root ::= ("(" [a-zA-Z ]* ")" | [^()]{2,5})+ ";")gbnf",
                                 R"gbnf(root ::= word ("," word)*
word ::= [a-z]+ | "\"" [^"]* "\"")gbnf"}) {
    SCOPED_TRACE(text);
    const auto grammar = Grammar::from_gbnf(text);
    ASSERT_TRUE(grammar.ok()) << grammar.error().message();
    Random random(5);
    Comparison comparison(grammar.value()->program(), trie);
    comparison.walk(random, 5);
  }
  EXPECT_GT(Comparison::steps, 8);
}

}  // namespace
}  // namespace emberline::grammar::testing
