// Models in folders compute what GGUF files of the same weights do, and what numpy does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/model.h"
#include "engine/model_file.h"
#include "engine/model_outline.h"
#include "take.h"
#include "temporary_directory.h"
#include "tokenizer/tokenizer.h"
#include "toy_pass.h"

namespace emberline {
namespace {

using emberline::testing::take;
using emberline::testing::TemporaryDirectory;
using emberline::testing::ToyPass;

const std::string kFolders = EMBERLINE_SOURCE_DIR "/test/fixtures/folders/";
// Of scripts/reference/make_folders.py.
const std::vector<TokenId> kPrompt = {40, 45, 7, 261, 99, 258, 12, 263, 40, 200};

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<float> logits_of(const std::string& path) {
  return ToyPass::of_file(take(open_model_file(path, FolderUse::kLoad))).prefill(kPrompt);
}

std::vector<float> written_logits(const std::string& name) {
  std::ifstream stream(kFolders + name + ".logits", std::ios::binary);
  std::vector<float> logits(273);
  stream.read(reinterpret_cast<char*>(logits.data()), static_cast<std::streamsize>(logits.size() * 4));
  EXPECT_TRUE(stream.good());
  return logits;
}

double norm(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += double{value} * value;
  return std::sqrt(sum);
}

// |one - other| / |other|.
double difference(const std::vector<float>& one, const std::vector<float>& other) {
  EXPECT_EQ(one.size(), other.size());
  std::vector<float> apart(one.size());
  for (std::size_t i = 0; i < one.size(); ++i) apart[i] = one[i] - other[i];
  return norm(apart) / norm(other);
}

// Of the KV cache, whose keys and values are half floats: each is rounded by 2^-11 of itself at most.
const double kHalfStep = std::ldexp(1.0, -11);

TEST(ModelFolder, PlainWeightsGiveTheLogitsOfNumpy) {
  for (const char* name : {"llama-bf16", "qwen2-f16"}) {
    EXPECT_LT(difference(logits_of(kFolders + name), written_logits(name)), 2 * kHalfStep) << name;
  }
}

// 4-bit matrices are the same numbers in both. Those of 6 and 8 bits are rounded to half floats as well,
// which moves what they are multiplied into by no more; there are three on the way.
TEST(ModelFolder, MlxWeightsGiveTheLogitsOfNumpy) {
  const double apart = difference(logits_of(kFolders + "qwen3-mlx"), written_logits("qwen3-mlx"));
  EXPECT_LT(apart, 5 * kHalfStep);
}

TEST(ModelFolder, QwenGivesTheVeryLogitsOfItsGgufFile) {
  EXPECT_EQ(logits_of(kFolders + "qwen2-f16"), logits_of(kFolders + "qwen2-f16.gguf"));
}

// Its GGUF file has the rows of queries and keys in another order: so is the sum of their product.
TEST(ModelFolder, LlamaGivesTheLogitsOfItsGgufFile) {
  EXPECT_LT(difference(logits_of(kFolders + "llama-bf16"), logits_of(kFolders + "llama-bf16.gguf")), 1e-6);
}

TEST(ModelFolder, TextBecomesTheIdsOfTheGgufFile) {
  for (const std::string name : {"llama-bf16", "qwen2-f16"}) {
    const auto folder = take(open_model_file(kFolders + name, FolderUse::kLook));
    const auto file = take(GgufFile::open(kFolders + name + ".gguf"));
    const auto ours = take(Tokenizer::from_gguf(*folder)), theirs = take(Tokenizer::from_gguf(*file));
    ASSERT_EQ(ours->vocabulary_size(), theirs->vocabulary_size());
    EXPECT_EQ(ours->eos(), theirs->eos());
    EXPECT_EQ(ours->bos(), theirs->bos());
    EXPECT_EQ(ours->adds_bos(), theirs->adds_bos());
    for (TokenId id = 0; id < ours->vocabulary_size(); ++id) {
      EXPECT_EQ(ours->bytes(id), theirs->bytes(id)) << id;
      EXPECT_EQ(ours->kind(id), theirs->kind(id)) << id;
    }
    for (const char* text : {"return  123 = été\n\n    x", "<|end|>re<|start|>turn", "\xFF\n\n\n"}) {
      EXPECT_EQ(ours->encode(text, true), theirs->encode(text, true)) << text;
    }
  }
}

// As large before they are read as after.
TEST(ModelFolder, SaysWhatItUnpacks) {
  const auto unpacked = [](const std::string& path, FolderUse use) {
    return take(open_model_file(path, use))->memory_bytes();
  };
  for (const auto& folder : std::filesystem::directory_iterator(kFolders)) {
    if (!folder.is_directory()) continue;
    const std::string path = folder.path().string();
    EXPECT_EQ(unpacked(path, FolderUse::kLook), unpacked(path, FolderUse::kLoad)) << path;
  }
  EXPECT_GT(unpacked(kFolders + "qwen3-mlx", FolderUse::kLook),
            20 * unpacked(kFolders + "qwen2-f16", FolderUse::kLook));
}

TEST(ModelFolder, LoadsAsAModel) {
  for (const char* name :
       {"llama-bf16", "qwen2-f16/", "qwen3-mlx", "llama-bf16/model.safetensors",
        "qwen2-f16/model.safetensors.index.json", "qwen2-f16/model-00002-of-00002.safetensors"}) {
    ModelOptions options;
    options.path = kFolders + name;
    options.device = "cpu";
    options.threads = 1;
    const auto model = take(Model::load(options));
    EXPECT_EQ(model->info().vocabulary, 273u) << name;
    EXPECT_EQ(model->info().name + "/", std::string(name).substr(0, std::string(name).find('/')) + "/");
    take(outline(*take(open_model_file(options.path, FolderUse::kLook))));
  }
}

// What is looked at without being loaded has the same shapes and sizes.
TEST(ModelFolder, InspectionSeesTheSameTensors) {
  const auto loaded = take(open_model_file(kFolders + "qwen3-mlx", FolderUse::kLoad));
  const auto looked_at = take(open_model_file(kFolders + "qwen3-mlx", FolderUse::kLook));
  ASSERT_EQ(loaded->tensors().size(), looked_at->tensors().size());
  for (std::size_t i = 0; i < loaded->tensors().size(); ++i) {
    const GgufTensor &one = loaded->tensors()[i], &other = looked_at->tensors()[i];
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.type_id, other.type_id);
    EXPECT_EQ(one.data.size(), other.data.size());
  }
}

// A folder with one thing changed.
class ChangedFolder {
 public:
  explicit ChangedFolder(const std::string& name) {
    std::filesystem::copy(kFolders + name, directory_.path(), std::filesystem::copy_options::recursive);
  }
  std::string path() const { return directory_.path().string(); }
  void remove(const std::string& file) const { std::filesystem::remove(directory_.path() / file); }
  void replace(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = contents_of(directory_.path() / file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(directory_.path() / file, std::ios::binary) << text.replace(at, from.size(), to);
  }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(directory_.path() / file, std::ios::binary) << text;
  }
  std::unique_ptr<GgufFile> open() const {
    return take(open_model_file(directory_.path().string(), FolderUse::kLook));
  }
  void expect_refused(ErrorCode code, const std::string& word) const {
    const auto opened = open_model_file(directory_.path().string(), FolderUse::kLoad);
    std::string message;
    if (!opened.ok()) {
      EXPECT_EQ(opened.code(), code) << opened.error().message();
      message = opened.error().message();
    } else {
      const auto inspected = outline(*opened.value());
      message = inspected.ok() ? "" : inspected.error().message();
    }
    EXPECT_NE(message.find(word), std::string::npos) << message;
  }

 private:
  TemporaryDirectory directory_;
};

TEST(ModelFolder, WhatIsMissingIsNamed) {
  const struct {
    const char *file, *word;
    ErrorCode code;
  } missing[] = {{"config.json", "config.json", ErrorCode::kModelNotGguf},
                 {"tokenizer.json", "tokenizer.json", ErrorCode::kFileNotFound},
                 {"model.safetensors.index.json", "model.safetensors", ErrorCode::kFileNotFound},
                 {"model-00002-of-00002.safetensors", "model-00002", ErrorCode::kFileNotFound}};
  for (const auto& [file, word, code] : missing) {
    const ChangedFolder folder("qwen2-f16");
    folder.remove(file);
    folder.expect_refused(code, word);
  }
}

TEST(ModelFolder, WhatTheEngineDoesNotRunIsNamed) {
  const struct {
    const char *from, *to, *word;
    ErrorCode code;
  } changes[] = {
      {"\"llama\"", "\"mamba\"", "mamba", ErrorCode::kModelArchitectureUnsupported},
      {"\"silu\"", "\"relu\"", "relu", ErrorCode::kModelArchitectureUnsupported},
      {"{", "{\"num_local_experts\": 8,", "experts", ErrorCode::kModelArchitectureUnsupported},
      {"{", "{\"quantization_config\": {\"quant_method\": \"gptq\"},", "gptq",
       ErrorCode::kModelArchitectureUnsupported},
      {"{", "{\"rope_scaling\": {\"rope_type\": \"dynamic\", \"factor\": 2.0},", "dynamic",
       ErrorCode::kModelArchitectureUnsupported},
      {"{", "{\"partial_rotary_factor\": 0.5,", "positions", ErrorCode::kModelArchitectureUnsupported},
      {"\"hidden_size\"", "\"width\"", "hidden_size", ErrorCode::kModelMetadataMissing},
      {"\"hidden_size\": 32", "\"hidden_size\": \"wide\"", "hidden_size", ErrorCode::kModelMetadataInvalid},
      {"\"model_type\"", "\"kind\"", "model_type", ErrorCode::kModelMetadataMissing},
      {"{", "{\"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8.0},", "rope_scaling",
       ErrorCode::kModelMetadataInvalid},
      {"\"tie_word_embeddings\": true", "\"tie_word_embeddings\": false", "lm_head",
       ErrorCode::kModelTensorMissing},
      {"{", "[", "config.json", ErrorCode::kModelCorrupt},
  };
  for (const auto& [from, to, word, code] : changes) {
    const ChangedFolder folder("llama-bf16");
    folder.replace("config.json", from, to);
    folder.expect_refused(code, word);
  }
}

TEST(ModelFolder, TokenizersOfOtherKindsAreNamed) {
  const struct {
    const char *from, *to, *word;
  } changes[] = {
      {"\"type\": \"BPE\"", "\"type\": \"Unigram\"", "Unigram"},
      {"\"normalizer\": null", "\"normalizer\": {\"type\": \"Lowercase\"}", "Lowercase"},
      {"\"type\": \"BPE\"", "\"type\": \"BPE\", \"end_of_word_suffix\": \"</w>\"", "end_of_word_suffix"},
      {"\"individual_digits\": true", "\"individual_digits\": false", "numbers; words"},
      {"{\"type\": \"Digits\", \"individual_digits\": true}",
       "{\"type\": \"Split\", \"pattern\": {\"Regex\": \"x+\"}, \"behavior\": \"Isolated\", \"invert\": "
       "false}",
       "x+"},
  };
  for (const auto& [from, to, word] : changes) {
    const ChangedFolder folder("llama-bf16");
    folder.replace("tokenizer.json", from, to);
    folder.expect_refused(ErrorCode::kModelTokenizerUnsupported, word);
  }
}

TEST(ModelFolder, ATokenizerThatIsDamagedSaysWhere) {
  const struct {
    const char *from, *to, *word;
  } changes[] = {
      {"\"model\": {", "\"modal\": {", "has no \"model\""},
      {"\"vocab\"", "\"words\"", "no vocabulary"},
      {"\"Ā\": 0", "\"Ā\": \"first\"", "without an id"},
      {"\"Ā\": 0", "\"Ā\": 1", "two tokens with the id 1"},
      {"\"Ā\": 0", "\"Ā\": 99999999", "99999999"},
  };
  for (const auto& [from, to, word] : changes) {
    const ChangedFolder folder("llama-bf16");
    folder.replace("tokenizer.json", from, to);
    folder.expect_refused(ErrorCode::kModelMetadataInvalid, word);
  }
}

// SentencePiece's BPE as Hugging Face writes it: spaces become marks in a normalizer, or in a pre-tokenizer.
class SentencePieceFolder : public ::testing::Test {
 protected:
  ChangedFolder folder{"llama-bf16"};

  void write(const std::string& normalizer, const std::string& pre_tokenizer, bool byte_fallback = true) {
    std::string vocabulary = R"("<unk>": 0, "▁": 1, "a": 2, "b": 3, "ab": 4, "▁ab": 5, "é": 6)";
    for (int byte = 0; byte < 256; ++byte) {
      char token[16];
      std::snprintf(token, sizeof token, "<0x%02X>", static_cast<unsigned>(byte));
      vocabulary += ", \"" + std::string(token) + "\": " + std::to_string(7 + byte);
    }
    folder.write("tokenizer.json",
                 R"({"normalizer": )" + normalizer + R"(, "pre_tokenizer": )" + pre_tokenizer +
                     R"(, "model": {"type": "BPE", "unk_token": "<unk>", "byte_fallback": )" +
                     (byte_fallback ? "true" : "false") + R"(, "vocab": {)" + vocabulary +
                     R"(}, "merges": ["a b", "▁ ab"]}})");
  }
  std::unique_ptr<Tokenizer> tokenizer() const { return take(Tokenizer::from_gguf(*folder.open())); }
};

constexpr const char* kReplaces = R"({"type": "Replace", "pattern": {"String": " "}, "content": "▁"})";

TEST_F(SentencePieceFolder, SpacesBecomeMarks) {
  const std::string prepends = R"({"type": "Prepend", "prepend": "▁"})";
  const std::string both = R"({"type": "Sequence", "normalizers": [)" + prepends + ", " + kReplaces + "]}";
  const std::string metaspace = R"({"type": "Metaspace", "replacement": "▁", "split": false)";
  const struct {
    std::string normalizer, pre_tokenizer;
    bool adds_space;
  } kinds[] = {
      {both, "null", true},
      {kReplaces, "null", false},
      {kReplaces, R"({"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious"})",
       false},
      {"null", metaspace + R"(, "prepend_scheme": "first"})", true},
      {"null", metaspace + R"(, "prepend_scheme": "never"})", false},
      {"null", metaspace + R"(, "add_prefix_space": false})", false},
      {"null", metaspace + "}", true},
  };
  for (const auto& [normalizer, pre_tokenizer, adds_space] : kinds) {
    SCOPED_TRACE(normalizer + " " + pre_tokenizer);
    write(normalizer, pre_tokenizer);
    const auto ours = tokenizer();
    EXPECT_EQ(ours->adds_space_prefix(), adds_space);
    EXPECT_EQ(ours->encode("ab ab", true), (std::vector<TokenId>{4, 5}));
    // What is no token is written in bytes.
    EXPECT_EQ(ours->encode("é!", true), (std::vector<TokenId>{6, 7 + '!'}));
  }
}

TEST_F(SentencePieceFolder, OtherKindsAreNamed) {
  const std::string metaspace = R"({"type": "Metaspace", "replacement": "▁")";
  const struct {
    std::string normalizer, pre_tokenizer, word;
    bool byte_fallback = true;
  } kinds[] = {
      {kReplaces, "null", "without bytes", false},
      {"null", "null", "without marks"},
      {R"({"type": "Lowercase"})", "null", "normalizer Lowercase"},
      {"null", R"({"type": "Whitespace"})", "pre-tokenizer Whitespace"},
      {"null", metaspace + R"(, "split": true})", "words of its own"},
      {"null", R"({"type": "Metaspace", "replacement": "_", "split": false})", "words of its own"},
  };
  for (const auto& [normalizer, pre_tokenizer, word, byte_fallback] : kinds) {
    write(normalizer, pre_tokenizer, byte_fallback);
    folder.expect_refused(ErrorCode::kModelTokenizerUnsupported, word);
  }
}

TEST(ModelFolder, QuantisationsOfOtherKindsAreNamed) {
  const struct {
    const char *from, *to, *word;
    ErrorCode code;
  } changes[] = {
      {"\"bits\": 4", "\"bits\": 3", "3 bits", ErrorCode::kModelArchitectureUnsupported},
      {"\"bits\": 4", "\"bits\": 8", "scales", ErrorCode::kModelTensorShape},
      {"\"group_size\": 64", "\"group_size\": 16", "groups of 16", ErrorCode::kModelArchitectureUnsupported},
      {"\"group_size\": 64", "\"mode\": \"mxfp4\"", "mxfp4", ErrorCode::kModelArchitectureUnsupported},
      {"\"quantization\"", "\"other\"", "U32", ErrorCode::kModelTensorTypeUnsupported},
  };
  for (const auto& [from, to, word, code] : changes) {
    const ChangedFolder folder("qwen3-mlx");
    folder.replace("config.json", from, to);
    folder.expect_refused(code, word);
  }
}

TEST(ModelFolder, WeightsThatAreDamagedAreNamed) {
  const ChangedFolder scales("qwen3-mlx");
  scales.replace("model.safetensors", ".mlp.up_proj.scales", ".mlp.up_proj.scalez");
  scales.expect_refused(ErrorCode::kModelTensorMissing, "up_proj");
  const ChangedFolder index("qwen2-f16");
  index.replace("model.safetensors.index.json", "weight_map", "map");
  index.expect_refused(ErrorCode::kModelCorrupt, "weight_map");
  const ChangedFolder type("llama-bf16");
  type.replace("model.safetensors", "\"BF16\"", "\"F8X4\"");
  type.expect_refused(ErrorCode::kModelTensorTypeUnsupported, "F8X4");
}

// A header may have any length, and tensors begin right behind it.
TEST(ModelFolder, WeightsMayBeginAnywhere) {
  const ChangedFolder folder("llama-bf16");
  std::string text = contents_of(kFolders + "llama-bf16/model.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, text.data(), sizeof length);
  text.insert(8 + length, " ");
  ++length;
  std::memcpy(text.data(), &length, sizeof length);
  folder.write("model.safetensors", text);
  EXPECT_EQ(logits_of(folder.path()), logits_of(kFolders + "llama-bf16"));
}

TEST(ModelFolder, AnIndexNamesFilesOfItsFolderAlone) {
  const ChangedFolder outside("qwen2-f16");
  outside.replace("model.safetensors.index.json", "model-00001-of-00002.safetensors", "../x.safetensors");
  outside.expect_refused(ErrorCode::kModelCorrupt, "../x.safetensors");
  const ChangedFolder wrong("qwen2-f16");
  wrong.replace("model.safetensors.index.json", "model-00001-of-00002", "model-00002-of-00002");
  wrong.expect_refused(ErrorCode::kModelTensorMissing, "model-00002");
  const ChangedFolder twice("qwen2-f16");
  twice.write("model-00002-of-00002.safetensors",
              contents_of(kFolders + "qwen2-f16/model-00001-of-00002.safetensors"));
  twice.expect_refused(ErrorCode::kModelCorrupt, "of another one");
}

// Llama 3.1's numbers: eight times slower where a turn takes longer than its first context, and less so where
// it takes a quarter of it or more.
TEST(ModelFolder, ListedScalingOfPositions) {
  for (const char* original : {"256", "200"}) {
    const ChangedFolder folder("llama-bf16");
    folder.replace("config.json", "{",
                   std::string("{\"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8.0, "
                               "\"low_freq_factor\": 1.0, \"high_freq_factor\": 4.0, "
                               "\"original_max_position_embeddings\": ") +
                       original + "},");
    folder.expect_refused(ErrorCode::kOk, "");
  }
}

TEST(ModelFolder, YarnKeepsItsNumbers) {
  const ChangedFolder folder("llama-bf16");
  folder.replace("config.json", "{",
                 "{\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4.0, \"beta_fast\": 16.0, "
                 "\"beta_slow\": 2, \"original_max_position_embeddings\": 64},");
  const auto file = folder.open();
  EXPECT_EQ(file->get_float("llama.rope.scaling.yarn_beta_fast"), 16.0f);
  EXPECT_EQ(file->get_float("llama.rope.scaling.yarn_beta_slow"), 2.0f);
  EXPECT_EQ(file->get_uint("llama.rope.scaling.original_context_length"), 64u);
}

// Hugging Face's Qwen2 sees everything unless it is told not to, and then from a layer on.
TEST(ModelFolder, AWindowIsUsedWhereTheFamilyUsesIt) {
  const auto window_of = [](const std::string& keys) {
    const ChangedFolder folder("qwen2-f16");
    folder.replace("config.json", "\"head_dim\"", keys + ", \"head_dim\"");
    return folder.open()->get_uint("qwen2.attention.sliding_window").value_or(0);
  };
  EXPECT_EQ(window_of("\"sliding_window\": 16"), 0u);
  EXPECT_EQ(window_of("\"sliding_window\": 16, \"use_sliding_window\": true"), 0u);
  EXPECT_EQ(window_of("\"sliding_window\": 16, \"use_sliding_window\": true, \"max_window_layers\": 0"), 16u);
  const ChangedFolder llama("llama-bf16");
  llama.replace("config.json", "\"hidden_size\"", "\"sliding_window\": 16, \"hidden_size\"");
  EXPECT_FALSE(llama.open()->get_uint("llama.attention.sliding_window").has_value());
  const ChangedFolder mistral("llama-bf16");
  mistral.replace("config.json", "\"model_type\": \"llama\"",
                  "\"model_type\": \"mistral\", \"sliding_window\": 16");
  EXPECT_EQ(mistral.open()->get_uint("llama.attention.sliding_window"), 16u);
}

// Of several, the one for a plain chat.
TEST(ModelFolder, TheTemplateOfAChatIsThatOfItsTokenizer) {
  const auto template_of = [](const std::string& member) {
    const ChangedFolder folder("llama-bf16");
    folder.replace("tokenizer_config.json", "{", "{" + member);
    return std::string(folder.open()->get_string("tokenizer.chat_template").value_or("none"));
  };
  EXPECT_EQ(template_of(""), "none");
  EXPECT_EQ(template_of(R"("chat_template": "{{ bos_token }}\n",)"), "{{ bos_token }}\n");
  EXPECT_EQ(template_of(R"("chat_template": [{"name": "tool_use", "template": "a"}, {"template": "b"}, 1,
                           {"name": "default", "template": "c"}],)"),
            "c");
  EXPECT_EQ(template_of(R"("chat_template": {"name": "default"},)"), "none");
  const std::string most(1 << 20, ' ');
  EXPECT_EQ(template_of("\"chat_template\": \"" + most + "\","), most);
  EXPECT_EQ(template_of("\"chat_template\": \"" + most + " \","), "none");
}

// As transformers has it: what it writes beside the tokenizer comes before what stands in its settings.
TEST(ModelFolder, ATemplateWithAFileOfItsOwnIsReadFirst) {
  const ChangedFolder folder("qwen3-mlx");
  folder.replace("tokenizer_config.json", "{", R"({"chat_template": "of the settings",)");
  const auto info_of = [&] {
    ModelOptions options;
    options.path = folder.path();
    options.device = "cpu";
    options.threads = 1;
    return take(Model::load(options))->info();
  };
  EXPECT_EQ(info_of().chat_template, "of the settings");
  const std::string text = "{%- for message in messages %}\n{{ message.content }}\u00e9\n{% endfor %}\n";
  folder.write("chat_template.jinja", text);
  EXPECT_EQ(info_of().chat_template, text);
  folder.remove("tokenizer_config.json");
  EXPECT_EQ(info_of().chat_template, text);
  folder.write("chat_template.jinja", std::string(1 << 20, ' '));
  EXPECT_EQ(info_of().chat_template.size(), 1u << 20);
  folder.write("chat_template.jinja", std::string((1 << 20) + 1, ' '));
  EXPECT_EQ(info_of().chat_template, "");
  folder.write("chat_template.jinja", "");
  EXPECT_EQ(info_of().chat_template, "");
}

TEST(ModelFolder, ATemplateThatCannotBeReadIsNamed) {
  const ChangedFolder folder("llama-bf16");
  std::filesystem::create_directory(folder.path() + "/chat_template.jinja");
  folder.expect_refused(ErrorCode::kFileNotRegular, "chat_template.jinja");
}

}  // namespace
}  // namespace emberline
