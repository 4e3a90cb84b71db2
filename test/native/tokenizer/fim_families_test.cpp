// Which marks a model's vocabulary has, and in which order its prompts come: by the names of its family's
// tokens.
#include "tokenizer/fim_families.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "take.h"
#include "tokenizer/toy_vocabulary.h"

namespace emberline::testing {
namespace {

struct FamilyCase {
  const char* family;
  const char* pre_tokenizer;
  const char *prefix, *suffix, *middle;  // empty: it has none
  const char *separator, *repository;
  const char *layout, *files;
};

constexpr FamilyCase kFamilyCases[] = {
    {"Qwen2.5-Coder, Qwen3-Coder", "qwen2", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>",
     "<|file_sep|>", "<|repo_name|>", "prefix_suffix_middle", "path_before_marks"},
    {"Qwen2.5-Coder without the name of a repository", "qwen2", "<|fim_prefix|>", "<|fim_suffix|>",
     "<|fim_middle|>", "<|file_sep|>", "", "prefix_suffix_middle", "path_before_marks"},
    {"CodeGemma", "gemma", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|file_separator|>", "",
     "prefix_suffix_middle", ""},
    {"Granite 4", "granite", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "", "",
     "prefix_suffix_middle", ""},
    {"StarCoder", "starcoder", "<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<filename>", "",
     "prefix_suffix_middle", ""},
    {"StarCoder2", "starcoder", "<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<file_sep>", "<repo_name>",
     "prefix_suffix_middle", "path_in_prefix"},
    {"StableCode", "stablelm2", "<fim_prefix>", "<fim_suffix>", "<fim_middle>", "", "",
     "prefix_suffix_middle", ""},
    {"DeepSeek-Coder", "deepseek-coder", "<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>", "", "",
     "prefix_suffix_middle", ""},
    {"Code Llama", "default", "▁<PRE>", "▁<SUF>", "▁<MID>", "", "", "prefix_suffix_middle", ""},
    {"Mellum", "mellum", "<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<filename>", "",
     "suffix_prefix_middle", "path_before_marks"},
    {"Seed-Coder", "seed-coder", "<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>", "", "",
     "suffix_prefix_middle", ""},
    {"Codestral", "tekken", "[PREFIX]", "[SUFFIX]", "", "", "", "suffix_prefix", ""},
};

Vocabulary vocabulary_of(const ToyVocabulary& toy) {
  return take(Vocabulary::make(toy.spec()));
}

TokenId add_named(ToyVocabulary& toy, std::string_view name, TokenType type) {
  return name.empty() ? kNoToken : toy.add(std::string(name), type);
}

TEST(FimFamilies, AreToldByTheNamesOfTheirTokens) {
  for (const FamilyCase& each : kFamilyCases) {
    // As older converters marked them, too.
    for (const TokenType type : {TokenType::kControl, TokenType::kUserDefined}) {
      SCOPED_TRACE(each.family);
      ToyVocabulary toy;
      FimTokens expected;
      expected.repository = add_named(toy, each.repository, type);
      expected.separator = add_named(toy, each.separator, type);
      expected.middle = add_named(toy, each.middle, type);
      expected.suffix = add_named(toy, each.suffix, type);
      expected.prefix = add_named(toy, each.prefix, type);
      expected.layout = each.layout;
      expected.files = each.files;
      EXPECT_EQ(find_fim_tokens(vocabulary_of(toy), each.pre_tokenizer, {}), expected);
    }
  }
}

TEST(FimFamilies, TakeWhatTheFileNames) {
  ToyVocabulary toy;
  const TokenId separator = toy.add("<|other|>", TokenType::kControl);
  toy.add("<|file_sep|>", TokenType::kControl);
  FimTokens named;
  named.prefix = toy.add("<|fim_prefix|>", TokenType::kControl);
  named.suffix = toy.add("<|fim_suffix|>", TokenType::kControl);
  named.middle = toy.add("<|fim_middle|>", TokenType::kControl);
  named.separator = separator;
  const FimTokens found = find_fim_tokens(vocabulary_of(toy), "qwen2", named);
  EXPECT_EQ(found.layout, "prefix_suffix_middle");
  EXPECT_EQ(found.separator, separator);
  EXPECT_EQ(found.files, "") << "nobody says what stands behind a separator of another name";
  named.prefix = separator;
  EXPECT_EQ(find_fim_tokens(vocabulary_of(toy), "qwen2", named), named) << "of no family that is known";
}

TEST(FimFamilies, NeedAllOfTheirMarks) {
  for (const FamilyCase& each : kFamilyCases) {
    SCOPED_TRACE(each.family);
    for (const std::string_view missing : {each.prefix, each.suffix, each.middle}) {
      if (missing.empty()) continue;
      ToyVocabulary toy;
      for (const std::string_view name : {each.prefix, each.suffix, each.middle}) {
        if (name != missing) add_named(toy, name, TokenType::kControl);
      }
      EXPECT_EQ(find_fim_tokens(vocabulary_of(toy), each.pre_tokenizer, {}), FimTokens()) << missing;
    }
  }
}

TEST(FimFamilies, AreNotTextThatIsSpelledAlike) {
  ToyVocabulary toy;
  for (const char* name : {"<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"})
    toy.add(name, TokenType::kNormal);
  EXPECT_EQ(find_fim_tokens(vocabulary_of(toy), "qwen2", {}), FimTokens());
}

TEST(FimFamilies, EndWhereAnotherFileBegins) {
  ToyVocabulary toy;
  const TokenId end = toy.add("<[end▁of▁sentence]>", TokenType::kControl);
  const TokenId separator = toy.add("<|file_separator|>", TokenType::kControl);
  const auto tokenizer = take(Tokenizer::from_vocabulary(toy.spec()));
  EXPECT_TRUE(tokenizer->ends_generation(end));
  EXPECT_TRUE(tokenizer->ends_generation(separator));
}

}  // namespace
}  // namespace emberline::testing
