#include "tokenizer/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "random_cases.h"
#include "tokenizer/random_text.h"
#include "tokenizer/toy_vocabulary.h"

namespace emberline {
namespace {

using Ids = std::vector<TokenId>;
using testing::ToyVocabulary;

std::unique_ptr<Tokenizer> make(const VocabularySpec& spec) {
  auto tokenizer = Tokenizer::from_vocabulary(spec);
  if (!tokenizer.ok()) ADD_FAILURE() << tokenizer.error().message();
  return tokenizer.ok() ? std::move(tokenizer).value() : nullptr;
}

TEST(Tokenizer, AnyBytesComeBackAsTheyWent) {
  for (const char* pre : {"gpt-2", "smollm", "llama-bpe", "qwen2", "falcon", "tekken", "gpt-4o",
                          "deepseek-coder", "deepseek-llm", "deepseek-v3"}) {
    ToyVocabulary toy(pre);
    toy.merge(" ", "t");
    toy.merge(" ", " ");
    toy.merge("\xE6", "\x97");
    toy.merge("\r", "\n");
    toy.add("<|end|>", TokenType::kControl);
    toy.add("return", TokenType::kUserDefined);
    const auto tokenizer = make(toy.spec());
    ASSERT_TRUE(tokenizer);
    for (const std::string& text : testing::random_texts(1, testing::random_cases(200'000))) {
      for (const bool parse_special : {false, true}) {
        ASSERT_EQ(tokenizer->decode(tokenizer->encode(text, parse_special)), text) << pre;
      }
    }
  }
}

TEST(Tokenizer, ControlTokensComeFromTextOnlyWhenAsked) {
  ToyVocabulary toy;
  const TokenId end = toy.add("<|end|>", TokenType::kControl);
  const TokenId end2 = toy.add("<|end|>2", TokenType::kControl);
  const auto tokenizer = make(toy.spec());
  ASSERT_TRUE(tokenizer);
  const Ids plain = tokenizer->encode("a<|end|>b", false);
  EXPECT_EQ(std::count(plain.begin(), plain.end(), end), 0);
  EXPECT_EQ(tokenizer->decode(plain), "a<|end|>b");
  EXPECT_EQ(tokenizer->encode("a<|end|>b", true), (Ids{'a', end, 'b'}));
  EXPECT_EQ(tokenizer->encode("<|end|>2<|end|><|end", true), (Ids{end2, end, '<', '|', 'e', 'n', 'd'}));
  EXPECT_EQ(tokenizer->encode("", true), (Ids{}));
}

TEST(Tokenizer, LeavesATextThatIsCancelled) {
  ToyVocabulary toy;
  const auto tokenizer = make(toy.spec());
  ASSERT_TRUE(tokenizer);
  std::atomic<bool> cancel = false;
  EXPECT_EQ(tokenizer->encode("a b c", false, &cancel), tokenizer->encode("a b c", false));
  cancel = true;
  EXPECT_EQ(tokenizer->encode("a b c", false, &cancel), (Ids{}));
}

TEST(Tokenizer, UserDefinedTokensAlwaysComeFromText) {
  ToyVocabulary toy;
  const TokenId call = toy.add("<call>", TokenType::kUserDefined);
  const TokenId calls = toy.add("<call>s 1", TokenType::kUserDefined);
  toy.add("<call>", TokenType::kUserDefined);  // of equal ones the first counts
  toy.add("", TokenType::kUserDefined);
  toy.add("zz", TokenType::kUnused);
  const auto tokenizer = make(toy.spec());
  ASSERT_TRUE(tokenizer);
  for (const bool parse_special : {false, true}) {
    EXPECT_EQ(tokenizer->encode("x<call>s 1<call>s", parse_special), (Ids{'x', calls, call, 's'}));
    EXPECT_EQ(tokenizer->encode("zz", parse_special), (Ids{'z', 'z'}));
  }
  EXPECT_EQ(tokenizer->kind(call), TokenKind::kUserDefined);
}

// Older converters mark them user-defined, and a document that spells one must not end the generation or
// start another file.
TEST(Tokenizer, TokensNamedLikeControlTokensAreControlTokens) {
  ToyVocabulary toy;
  for (const char* name : {"<|fim_prefix|>", "<fim_suffix>", "<file_sep>", "<repo_name>",
                           "<\xEF\xBD\x9C"
                           "end\xEF\xBD\x9C>"}) {
    const TokenId id = toy.add(name, TokenType::kUserDefined);
    const auto tokenizer = make(toy.spec());
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->kind(id), TokenKind::kControl) << name;
    EXPECT_EQ(tokenizer->encode(name, true), (Ids{id})) << name;
    EXPECT_NE(tokenizer->encode(name, false), (Ids{id})) << name;
  }
}

TEST(Tokenizer, TheEndThatTheFileNamesIsAControlToken) {
  ToyVocabulary toy;
  const TokenId end = toy.add("[over]", TokenType::kUserDefined);
  VocabularySpec spec = toy.spec();
  spec.eos = end;
  const auto tokenizer = make(spec);
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->kind(end), TokenKind::kControl);
  EXPECT_EQ(tokenizer->encode("[over]", true), (Ids{end}));
  EXPECT_EQ(tokenizer->encode("[over]", false).size(), 6u);
}

TEST(Tokenizer, WhatMarksThePartsOfAPromptIsAControlToken) {
  ToyVocabulary toy;
  VocabularySpec spec = toy.spec();
  TokenId* const marks[] = {&spec.fim.prefix, &spec.fim.suffix, &spec.fim.middle};
  for (TokenId* const mark : marks) {
    const TokenId id = toy.add("[mark]", TokenType::kUserDefined);
    const FimTokens none;
    spec = toy.spec();
    spec.fim = none;
    *mark = id;
    const auto tokenizer = make(spec);
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->kind(id), TokenKind::kControl);
    EXPECT_FALSE(tokenizer->ends_generation(id));
  }
}

TEST(Tokenizer, KnowsWhatEndsAGeneration) {
  ToyVocabulary toy;
  const TokenId eos = toy.add("stop", TokenType::kControl);
  const TokenId other = toy.add("turn", TokenType::kControl);
  const TokenId named = toy.add("<|im_end|>", TokenType::kControl);
  const TokenId separator = toy.add("<file_sep>", TokenType::kControl);
  const TokenId start = toy.add("<|im_start|>", TokenType::kControl);
  const TokenId text = toy.add("</s>", TokenType::kNormal);  // spelled like an end, and ordinary text
  VocabularySpec spec = toy.spec();
  spec.eos = eos;
  spec.bos = start;
  spec.other_ends = {other};
  const auto tokenizer = make(spec);
  ASSERT_TRUE(tokenizer);
  for (const TokenId id : {eos, other, named, separator}) EXPECT_TRUE(tokenizer->ends_generation(id)) << id;
  for (const TokenId id : {start, text, TokenId{'a'}, kNoToken})
    EXPECT_FALSE(tokenizer->ends_generation(id)) << id;
  EXPECT_EQ(tokenizer->eos(), eos);
  EXPECT_EQ(tokenizer->bos(), start);
}

TEST(Tokenizer, AddsABosWhereTheFileOrTheFamilySaysSo) {
  ToyVocabulary llama("llama-bpe");
  const TokenId bos = llama.add("<|begin|>", TokenType::kControl);
  VocabularySpec spec = llama.spec();
  EXPECT_FALSE(make(spec)->adds_bos());  // there is none to add
  spec.bos = bos;
  EXPECT_TRUE(make(spec)->adds_bos());
  spec.adds_bos = false;
  EXPECT_FALSE(make(spec)->adds_bos());
  spec.pre_tokenizer = "qwen2";
  spec.adds_bos.reset();
  EXPECT_FALSE(make(spec)->adds_bos());
  spec.adds_bos = true;
  EXPECT_TRUE(make(spec)->adds_bos());
}

TEST(Tokenizer, FindsTokensByTheirBytes) {
  ToyVocabulary toy;
  const TokenId pr = toy.merge("p", "r");
  const TokenId pri = toy.merge("pr", "i");
  const TokenId space = toy.merge(" ", " ");
  const TokenId twin = toy.add("pr", TokenType::kNormal);
  const TokenId user = toy.add("print", TokenType::kUserDefined);
  toy.add("primes", TokenType::kControl);
  toy.add("prx", TokenType::kUnused);
  const auto tokenizer = make(toy.spec());
  ASSERT_TRUE(tokenizer);
  const auto starting = [&](std::string_view prefix) {
    const auto range = tokenizer->tokens_starting_with(prefix);
    return Ids(range.begin(), range.end());
  };
  EXPECT_EQ(starting("p"), (Ids{'p', pr, twin, pri, user}));
  EXPECT_EQ(starting("pr"), (Ids{pr, twin, pri, user}));
  EXPECT_EQ(starting("pri"), (Ids{pri, user}));
  EXPECT_EQ(starting("primes"), (Ids{}));
  EXPECT_EQ(starting(" "), (Ids{' ', space}));
  EXPECT_EQ(starting("\xFF"), (Ids{0xFF}));
  EXPECT_EQ(starting("").size(), tokenizer->sorted_by_bytes().size());
  EXPECT_EQ(tokenizer->token_of_bytes("pr"), pr);  // the first of the two
  EXPECT_EQ(tokenizer->token_of_bytes("print"), user);
  EXPECT_EQ(tokenizer->token_of_bytes("prin"), kNoToken);
  EXPECT_EQ(tokenizer->token_of_bytes("primes"), kNoToken);
  EXPECT_EQ(tokenizer->token_of_bytes(""), kNoToken);
}

TEST(Tokenizer, OfEqualTokensTextBecomesTheFirst) {
  ToyVocabulary toy;
  const TokenId ab = toy.merge("a", "b");
  toy.add("ab", TokenType::kNormal);
  const auto tokenizer = make(toy.spec());
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->encode("ab", false), (Ids{ab}));
}

TEST(Tokenizer, TextBecomesNoTokenThatIsNotSpelledInTheByteAlphabet) {
  ToyVocabulary toy;
  const TokenId literal = toy.add("\u200D", TokenType::kNormal);
  toy.merge("\xE2", "\x80");
  const TokenId joiner = toy.merge("\xE2\x80", "\x8D");
  const auto tokenizer = make(toy.spec());
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->bytes(literal), tokenizer->bytes(joiner));
  EXPECT_EQ(tokenizer->encode("\u200D", false), (Ids{joiner}));
}

TEST(Tokenizer, AnswersForIdsOutOfRange) {
  const ToyVocabulary toy;
  const auto tokenizer = make(toy.spec());
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->vocabulary_size(), 256u);
  EXPECT_EQ(tokenizer->bytes(256), "");
  EXPECT_EQ(tokenizer->bytes(kNoToken), "");
  EXPECT_EQ(tokenizer->kind(kNoToken), TokenKind::kUnused);
  EXPECT_EQ(tokenizer->decode(Ids{'a', 999'999, 'b'}), "ab");
}

TEST(Tokenizer, ByteTokensStandForTheirByte) {
  ToyVocabulary toy;
  const TokenId byte = toy.add("<0xE6>", TokenType::kByte);
  const TokenId odd = toy.add("<0xG6>", TokenType::kByte);
  const auto tokenizer = make(toy.spec());
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->bytes(byte), "\xE6");
  EXPECT_EQ(tokenizer->bytes(odd), "<0xG6>");
}

TEST(Tokenizer, RefusesWhatIsNoVocabulary) {
  const ToyVocabulary toy("a-new-one");
  const auto unknown = Tokenizer::from_vocabulary(toy.spec());
  EXPECT_EQ(unknown.code(), ErrorCode::kModelTokenizerUnsupported);
  EXPECT_NE(unknown.error().message().find("a-new-one"), std::string::npos);

  const ToyVocabulary good;
  VocabularySpec spec = good.spec();
  spec.tokens.clear();
  spec.types.clear();
  EXPECT_EQ(Tokenizer::from_vocabulary(spec).code(), ErrorCode::kModelMetadataInvalid);
  spec = good.spec();
  spec.types.pop_back();
  EXPECT_EQ(Tokenizer::from_vocabulary(spec).code(), ErrorCode::kModelMetadataInvalid);
  spec = good.spec();
  spec.eos = 256;
  EXPECT_EQ(Tokenizer::from_vocabulary(spec).code(), ErrorCode::kModelMetadataInvalid);
  spec = good.spec();
  spec.other_ends = {70'000};
  EXPECT_EQ(Tokenizer::from_vocabulary(spec).code(), ErrorCode::kModelMetadataInvalid);
}

TEST(Tokenizer, ThreadsShareOneTokenizer) {
  ToyVocabulary toy("smollm");
  toy.merge(" ", "t");
  toy.merge("h", "e");
  toy.merge(" t", "he");
  toy.merge("=", " ");
  const std::vector<std::string> texts = testing::random_texts(9, 20'000);
  std::vector<Ids> expected;
  for (const std::string& text : texts) expected.push_back(make(toy.spec())->encode(text, false));

  const auto shared = make(toy.spec());  // fresh: what it learns of tokens, it learns while the threads race
  ASSERT_TRUE(shared);
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (int& count : wrong) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < texts.size(); ++i) count += shared->encode(texts[i], false) != expected[i];
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace emberline
