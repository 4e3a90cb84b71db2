#include "tokenizer/vocabulary_spec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gguf/gguf_file.h"
#include "gguf_writer.h"
#include "temporary_directory.h"
#include "tokenizer/charsmap_writer.h"
#include "tokenizer/tokenizer.h"

namespace emberline {
namespace {

using Strings = std::vector<std::string>;
using Types = std::vector<std::int32_t>;
using testing::CharsmapWriter;
using testing::GgufWriter;

const Strings kTokens = {"a", "b", "ab", "<|end|>"};
const Types kTypes = {1, 1, 1, 3};
const Strings kMerges = {"a b"};

// A file with every tokenizer key right, but for those in `without`.
GgufWriter writer_without(const std::vector<std::string>& without) {
  GgufWriter writer;
  const auto add = [&](const std::string& key, const auto& value) {
    if (std::find(without.begin(), without.end(), key) == without.end())
      writer.add("tokenizer.ggml." + key, value);
  };
  add("model", "gpt2");
  add("pre", "qwen2");
  add("tokens", kTokens);
  add("token_type", kTypes);
  add("merges", kMerges);
  add("bos_token_id", std::uint32_t{0});
  add("eos_token_id", std::uint32_t{3});
  add("add_bos_token", true);
  return writer;
}

class VocabularySpecTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<Tokenizer>> load(const GgufWriter& writer) {
    const std::string path = directory_.file("vocabulary.gguf");
    EXPECT_TRUE(writer.write(path));
    auto file = GgufFile::open(path);
    if (!file.ok()) return file.error();
    return Tokenizer::from_gguf(*file.value());
  }
  // The code of a file whose `key` is replaced with `value`.
  template <typename T>
  ErrorCode code_with(const std::string& key, const T& value) {
    GgufWriter writer = writer_without({key});
    writer.add("tokenizer.ggml." + key, value);
    return load(writer).code();
  }

  testing::TemporaryDirectory directory_;
};

TEST_F(VocabularySpecTest, ReadsWhatAFileSays) {
  const auto tokenizer = load(writer_without({}));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message();
  EXPECT_EQ(tokenizer.value()->vocabulary_size(), 4u);
  EXPECT_EQ(tokenizer.value()->pre_tokenizer_name(), "qwen2");
  EXPECT_EQ(tokenizer.value()->bos(), 0u);
  EXPECT_EQ(tokenizer.value()->eos(), 3u);
  EXPECT_TRUE(tokenizer.value()->adds_bos());
  EXPECT_EQ(tokenizer.value()->kind(3), TokenKind::kControl);
  EXPECT_EQ(tokenizer.value()->encode("ab", false), (std::vector<TokenId>{2}));
}

TEST_F(VocabularySpecTest, SaysWhatIsMissing) {
  for (const std::string key : {"model", "tokens", "merges"}) {
    const auto tokenizer = load(writer_without({key}));
    EXPECT_EQ(tokenizer.code(), ErrorCode::kModelMetadataMissing) << key;
    EXPECT_NE(tokenizer.error().message().find("tokenizer.ggml." + key), std::string::npos);
  }
}

TEST_F(VocabularySpecTest, DoesWithoutTheRest) {
  const auto tokenizer =
      load(writer_without({"pre", "token_type", "bos_token_id", "eos_token_id", "add_bos_token"}));
  ASSERT_TRUE(tokenizer.ok());
  EXPECT_EQ(tokenizer.value()->pre_tokenizer_name(), "default");
  EXPECT_EQ(tokenizer.value()->bos(), kNoToken);
  EXPECT_EQ(tokenizer.value()->eos(), kNoToken);
  EXPECT_FALSE(tokenizer.value()->adds_bos());
  EXPECT_EQ(tokenizer.value()->kind(3), TokenKind::kNormal);
}

TEST_F(VocabularySpecTest, ReadsTheTokensOfAFillInTheMiddlePrompt) {
  GgufWriter writer = writer_without({});
  writer.add("tokenizer.ggml.fim_pre_token_id", std::uint32_t{1});
  writer.add("tokenizer.ggml.fim_suf_token_id", std::uint32_t{0});
  writer.add("tokenizer.ggml.fim_sep_token_id", std::uint32_t{2});
  const auto tokenizer = load(writer);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message();
  EXPECT_EQ(tokenizer.value()->fim(),
            (FimTokens{.prefix = 1, .suffix = 0, .middle = kNoToken, .separator = 2}));
  EXPECT_TRUE(tokenizer.value()->ends_generation(2)) << "what begins another file ends this one";
  EXPECT_FALSE(tokenizer.value()->ends_generation(1));
  EXPECT_EQ(load(writer_without({})).value()->fim(), FimTokens());
}

TEST_F(VocabularySpecTest, ReadsThemUnderTheirFirstNamesToo) {
  GgufWriter writer = writer_without({});
  writer.add("tokenizer.ggml.prefix_token_id", std::uint32_t{1});
  writer.add("tokenizer.ggml.suffix_token_id", std::uint32_t{0});
  writer.add("tokenizer.ggml.middle_token_id", std::uint32_t{0});
  writer.add("tokenizer.ggml.fim_mid_token_id", std::uint32_t{2});
  const auto tokenizer = load(writer);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message();
  EXPECT_EQ(tokenizer.value()->fim(),
            (FimTokens{.prefix = 1, .suffix = 0, .middle = 2, .separator = kNoToken}));
}

TEST_F(VocabularySpecTest, RefusesOtherKindsOfTokenizers) {
  EXPECT_EQ(code_with("model", "bert"), ErrorCode::kModelTokenizerUnsupported);
  EXPECT_EQ(code_with("pre", "viking"), ErrorCode::kModelTokenizerUnsupported);
}

TEST_F(VocabularySpecTest, ReadsASentencePieceModel) {
  const auto writer_with_scores = [](const auto& scores) {
    GgufWriter writer = writer_without({"model", "pre", "merges"});
    writer.add("tokenizer.ggml.model", "llama");
    writer.add("tokenizer.ggml.scores", scores);
    return writer;
  };
  const std::vector<float> scores = {-1, -2, 0, 0};
  const auto tokenizer = load(writer_with_scores(scores));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message();
  EXPECT_EQ(tokenizer.value()->pre_tokenizer_name(), "llama");
  EXPECT_TRUE(tokenizer.value()->adds_space_prefix());
  EXPECT_EQ(tokenizer.value()->encode("aba", false), (std::vector<TokenId>{2, 0}));

  GgufWriter with_keys = writer_with_scores(scores);
  with_keys.add("tokenizer.ggml.add_space_prefix", false)
      .add("tokenizer.ggml.unknown_token_id", std::uint32_t{3});
  const auto other = load(with_keys);
  ASSERT_TRUE(other.ok()) << other.error().message();
  EXPECT_FALSE(other.value()->adds_space_prefix());
  EXPECT_EQ(other.value()->encode("ax", false), (std::vector<TokenId>{0, 3}));

  constexpr auto kInvalid = ErrorCode::kModelMetadataInvalid;
  EXPECT_EQ(load(writer_with_scores(std::vector<float>{-1, -2, 0})).code(), kInvalid);
  EXPECT_EQ(load(writer_with_scores(Types{-1, -2, 0, 0})).code(), kInvalid);
  EXPECT_EQ(load(writer_with_scores(std::vector<float>{NAN, -2, 0, 0})).code(), kInvalid);
  GgufWriter odd_flag = writer_with_scores(scores);
  odd_flag.add("tokenizer.ggml.add_space_prefix", "yes");
  EXPECT_EQ(load(odd_flag).code(), kInvalid);
  GgufWriter odd_unknown = writer_with_scores(scores);
  odd_unknown.add("tokenizer.ggml.unknown_token_id", std::uint32_t{4});
  EXPECT_EQ(load(odd_unknown).code(), kInvalid);
  GgufWriter without = writer_without({"model"});
  without.add("tokenizer.ggml.model", "llama");
  EXPECT_EQ(load(without).code(), ErrorCode::kModelMetadataMissing);
}

TEST_F(VocabularySpecTest, ReadsAUnigramModelAndItsNormalisation) {
  GgufWriter plain = writer_without({"model", "pre", "merges", "add_bos_token"});
  plain.add("tokenizer.ggml.model", "t5");
  plain.add("tokenizer.ggml.scores", std::vector<float>{-1, -2, -2.5f, 0});
  const auto tokenizer = load(plain);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message();
  EXPECT_EQ(tokenizer.value()->pre_tokenizer_name(), "t5");
  EXPECT_TRUE(tokenizer.value()->adds_space_prefix());
  EXPECT_FALSE(tokenizer.value()->adds_bos());
  EXPECT_EQ(tokenizer.value()->encode("aba", false), (std::vector<TokenId>{2, 0}));

  const std::map<std::string, std::string> map = {{"\uFF41", "a"}, {"\t", ""}};
  GgufWriter normalising = plain;
  normalising.add("tokenizer.ggml.precompiled_charsmap", CharsmapWriter(map).bytes())
      .add("tokenizer.ggml.remove_extra_whitespaces", true);
  const auto other = load(normalising);
  ASSERT_TRUE(other.ok()) << other.error().message();
  EXPECT_EQ(other.value()->encode("\uFF41b\t\uFF41", false), (std::vector<TokenId>{2, 0}));

  constexpr auto kInvalid = ErrorCode::kModelMetadataInvalid;
  GgufWriter no_map = plain;
  no_map.add("tokenizer.ggml.precompiled_charsmap", std::vector<std::uint8_t>{1, 2, 3});
  EXPECT_EQ(load(no_map).code(), kInvalid);
  GgufWriter no_bytes = plain;
  no_bytes.add("tokenizer.ggml.precompiled_charsmap", "NFKC");
  EXPECT_EQ(load(no_bytes).code(), kInvalid);
  GgufWriter no_flag = plain;
  no_flag.add("tokenizer.ggml.remove_extra_whitespaces", std::uint32_t{1});
  EXPECT_EQ(load(no_flag).code(), kInvalid);
  GgufWriter no_scores = writer_without({"model", "pre", "merges"});
  no_scores.add("tokenizer.ggml.model", "t5");
  EXPECT_EQ(load(no_scores).code(), ErrorCode::kModelMetadataMissing);
}

TEST_F(VocabularySpecTest, RefusesWrongTypes) {
  constexpr auto kInvalid = ErrorCode::kModelMetadataInvalid;
  EXPECT_EQ(code_with("model", std::uint32_t{2}), kInvalid);
  EXPECT_EQ(code_with("pre", true), kInvalid);
  EXPECT_EQ(code_with("tokens", "a b"), kInvalid);
  EXPECT_EQ(code_with("tokens", std::vector<float>{1.0f}), kInvalid);
  EXPECT_EQ(code_with("tokens", Strings{}), kInvalid);
  EXPECT_EQ(code_with("merges", std::vector<std::uint8_t>{1}), kInvalid);
  EXPECT_EQ(code_with("merges", Strings{"ab"}), kInvalid);
  EXPECT_EQ(code_with("token_type", "normal"), kInvalid);
  EXPECT_EQ(code_with("token_type", std::vector<std::int64_t>{1, 1, 1, 3}), kInvalid);
  EXPECT_EQ(code_with("token_type", Types{1, 1, 1}), kInvalid);
  EXPECT_EQ(code_with("token_type", Types{1, 1, 1, 7}), kInvalid);
  EXPECT_EQ(code_with("token_type", Types{1, 1, 0, 3}), kInvalid);
  EXPECT_EQ(code_with("token_type", Types{1, 1, -1, 3}), kInvalid);
  EXPECT_EQ(code_with("add_bos_token", std::uint8_t{1}), kInvalid);
}

TEST_F(VocabularySpecTest, RefusesIdsThatAreNoTokens) {
  constexpr auto kInvalid = ErrorCode::kModelMetadataInvalid;
  EXPECT_EQ(code_with("eos_token_id", std::uint32_t{4}), kInvalid);
  EXPECT_EQ(code_with("bos_token_id", std::int32_t{-1}), kInvalid);
  EXPECT_EQ(code_with("eot_token_id", ~std::uint64_t{0}), kInvalid);
  EXPECT_EQ(code_with("fim_pad_token_id", "3"), kInvalid);
  EXPECT_EQ(code_with("fim_pre_token_id", std::uint32_t{4}), kInvalid);
  EXPECT_EQ(code_with("fim_suf_token_id", std::int32_t{-1}), kInvalid);
  EXPECT_EQ(code_with("fim_mid_token_id", "3"), kInvalid);
  EXPECT_EQ(code_with("fim_sep_token_id", ~std::uint64_t{0}), kInvalid);
  EXPECT_EQ(code_with("eom_token_id", std::uint64_t{1}), ErrorCode::kOk);
}

}  // namespace
}  // namespace emberline
