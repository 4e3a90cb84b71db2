// Prompts of parts: how they become tokens, and that a session takes them as it takes a text.
#include "engine/prompt.h"

#include <gtest/gtest.h>

#include "tokenizer/toy_vocabulary.h"
#include "toy_session.h"

namespace emberline::testing {
namespace {

using Parts = std::vector<PromptPart>;
using Ids = std::vector<TokenId>;

Ids ids_of(const Model& model, const Prompt& prompt, bool parse_special = false) {
  return take(encode_prompt(model.tokenizer(), prompt, parse_special));
}

Ids joined(const Ids& first, const Ids& second) {
  Ids all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

CompletionRequest request_of_parts(Prompt prompt) {
  CompletionRequest request;
  request.prompt = std::move(prompt);
  request.max_tokens = 12;
  request.single_line = false;
  return request;
}

TEST(Prompt, ATextIsAPromptOfOnePart) {
  const auto model = load_toy({});
  const Ids expected = model->tokenizer().encode("return foo(", false);
  EXPECT_EQ(ids_of(*model, "return foo("), expected);
  EXPECT_EQ(ids_of(*model, Parts{"return foo("}), expected);
  EXPECT_EQ(ids_of(*model, Parts{"", "return foo(", ""}), expected);
  EXPECT_TRUE(ids_of(*model, Prompt()).empty());
}

TEST(Prompt, ASentencePieceModelReadsASpaceInFrontOfTheFirstText) {
  ToyPieces toy;
  const TokenId word = toy.piece("▁a", 0);
  const TokenId letter = toy.piece("a", -1);
  const TokenId mark = toy.add("▁<PRE>", TokenType::kControl);
  VocabularySpec spec = toy.spec();
  const auto tokenizer = take(Tokenizer::from_vocabulary(spec));
  const auto ids = [](const Tokenizer& of, const Prompt& prompt) {
    return take(encode_prompt(of, prompt, false));
  };
  EXPECT_EQ(ids(*tokenizer, "a"), (Ids{word}));
  EXPECT_EQ(ids(*tokenizer, Parts{mark, "", "a", mark, "a"}), (Ids{mark, word, mark, letter}));
  EXPECT_TRUE(ids(*tokenizer, Prompt("")).empty());
  spec.adds_space_prefix = false;
  EXPECT_EQ(ids(*take(Tokenizer::from_vocabulary(spec)), "a"), (Ids{letter}));
}

TEST(Prompt, NoTokenReachesOverABoundary) {
  const auto model = load_toy({});
  const Tokenizer& tokenizer = model->tokenizer();
  ASSERT_EQ(tokenizer.encode("return", false).size(), 1u);
  const Ids apart = joined(tokenizer.encode("ret", false), tokenizer.encode("urn", false));
  EXPECT_EQ(ids_of(*model, Parts{"ret", "urn"}), apart);
  EXPECT_GT(apart.size(), 1u);
  const TokenId mark = 7;
  EXPECT_EQ(
      ids_of(*model, Parts{mark, "ret", mark, "urn"}),
      joined(joined({mark}, tokenizer.encode("ret", false)), joined({mark}, tokenizer.encode("urn", false))));
}

TEST(Prompt, ATextNeverSpellsAControlTokenUnlessAsked) {
  const ToyModel toy;
  const auto model = load_toy(toy);
  const TokenId end = toy.end_token();
  for (const TokenId id : ids_of(*model, Parts{"<|end|>"})) EXPECT_NE(id, end);
  EXPECT_EQ(ids_of(*model, Parts{"<|end|>"}, true), Ids{end});
  EXPECT_EQ(ids_of(*model, Parts{end}), Ids{end});
}

TEST(Prompt, ATokenThatTheModelHasNotIsAnError) {
  ToyModel toy;
  toy.padding_rows = 4;  // of the embedding, without a name
  const auto model = load_toy(toy);
  const std::uint32_t size = model->tokenizer().vocabulary_size();
  const auto session = take(Session::create(model, 64));
  EXPECT_TRUE(session->complete(request_of_parts(Parts{size - 1, "x"})).ok());
  for (const TokenId token : {size, toy.vocabulary(), kNoToken}) {
    const auto result = session->complete(request_of_parts(Parts{"x", token}));
    EXPECT_EQ(result.code(), ErrorCode::kInvalidArgument) << token;
    EXPECT_NE(result.error().message().find(std::to_string(token)), std::string::npos);
  }
  EXPECT_TRUE(session->complete(request_of_parts("x = 1")).ok()) << "the session goes on";
}

TEST(Prompt, PartsAreCompletedAsTheirTokensAreAndKeepTheCache) {
  const auto model = load_toy({});
  const auto session = take(Session::create(model, 128));
  const TokenId mark = 7;
  const std::string suffix = "print(foo(2))\n";
  std::string prefix = "x = 1\n";
  std::uint32_t before = 0;
  for (const char key : std::string("return x")) {
    prefix += key;
    const CompletionRequest request = request_of_parts(Parts{mark, suffix, mark, prefix});
    const Completion kept = take(session->complete(request));
    const Completion fresh = take(take(Session::create(model, 128))->complete(request));
    EXPECT_EQ(kept.ids, fresh.ids);
    EXPECT_EQ(kept.text, fresh.text);
    EXPECT_EQ(kept.timings.prompt_tokens, ids_of(*model, request.prompt).size());
    EXPECT_GE(kept.timings.reused_tokens, before);
    before = static_cast<std::uint32_t>(ids_of(*model, Parts{mark, suffix, mark, "x = 1\n"}).size());
  }
  const Completion moved = take(session->complete(request_of_parts(Parts{mark, "#", mark, prefix})));
  EXPECT_LE(moved.timings.reused_tokens, 1u) << "another suffix is another text";
}

TEST(Prompt, BeginsWithOneBosWhereTheModelWantsIt) {
  for (const bool adds_bos : {true, false}) {
    ToyModel toy;
    toy.adds_bos = adds_bos;
    const auto model = load_toy(toy);
    const auto session = take(Session::create(model, 64));
    const auto tokens = [&](Prompt prompt) {
      return take(session->complete(request_of_parts(std::move(prompt)))).timings.prompt_tokens;
    };
    EXPECT_EQ(tokens("qw"), adds_bos ? 3u : 2u);
    EXPECT_EQ(tokens(Parts{model->tokenizer().bos(), "qw"}), 3u) << "it is there already";
  }
}

TEST(Prompt, OneThatIsTooLongSaysSo) {
  const auto session = take(Session::create(load_toy({}), 16));
  EXPECT_EQ(session->complete(request_of_parts(Parts(16, TokenId{7}))).code(), ErrorCode::kContextOverflow);
}

}  // namespace
}  // namespace emberline::testing
