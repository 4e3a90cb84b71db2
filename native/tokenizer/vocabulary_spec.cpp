#include "tokenizer/vocabulary_spec.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <string>

#include "base/try.h"
#include "gguf/describe.h"
#include "gguf/gguf_file.h"

namespace emberline {
namespace {

// `tokenizer.ggml.model`
struct TokenizerModelName {
  std::string_view name;
  TokenizerModel model;
};
constexpr TokenizerModelName kTokenizerModels[] = {
    {"gpt2", TokenizerModel::kByteLevel},
    {"llama", TokenizerModel::kSentencePiece},
    {"t5", TokenizerModel::kUnigram},
};

Status missing(std::string_view key) {
  return {ErrorCode::kModelMetadataMissing,
          "The model file has no \"" + std::string(key) + "\"; convert the model again with its tokenizer."};
}

Status invalid(std::string_view key, std::string_view problem) {
  return {ErrorCode::kModelMetadataInvalid, "The model file's \"" + std::string(key) + "\" " +
                                                std::string(problem) +
                                                "; convert the model again or download it anew."};
}

// kNoToken where `key` is absent.
Result<TokenId> read_token_id(const GgufFile& file, std::string_view key, std::size_t vocabulary_size) {
  if (file.find(key) == nullptr) return kNoToken;
  const auto id = file.get_uint(key);
  if (!id || *id >= vocabulary_size) return invalid(key, "is not the id of one of its tokens");
  return static_cast<TokenId>(*id);
}

Result<std::vector<TokenType>> read_types(const GgufFile& file, std::size_t vocabulary_size) {
  constexpr std::string_view kKey = "tokenizer.ggml.token_type";
  std::vector<TokenType> types;
  if (file.find(kKey) == nullptr) return types;
  const GgufArray* array = file.get_array(kKey);
  const bool integers =
      array != nullptr && (array->element_type == GgufType::kI32 || array->element_type == GgufType::kU32);
  if (!integers || array->count != vocabulary_size || array->bytes.size() / 4 < vocabulary_size) {
    return invalid(kKey, "is not one 32-bit integer a token");
  }
  types.reserve(vocabulary_size);
  for (std::size_t i = 0; i < vocabulary_size; ++i) {
    const std::uint8_t* element = array->bytes.data() + 4 * i;
    const std::uint32_t type =
        element[0] | element[1] << 8 | element[2] << 16 | std::uint32_t{element[3]} << 24;
    if (type < static_cast<std::uint32_t>(TokenType::kNormal) ||
        type > static_cast<std::uint32_t>(TokenType::kByte)) {
      return invalid(kKey, "holds a type that GGUF does not define");
    }
    types.push_back(static_cast<TokenType>(type));
  }
  return types;
}

Result<std::vector<float>> read_scores(const GgufFile& file, std::size_t vocabulary_size) {
  constexpr std::string_view kKey = "tokenizer.ggml.scores";
  if (file.find(kKey) == nullptr) return missing(kKey);
  const GgufArray* array = file.get_array(kKey);
  const bool floats = array != nullptr && array->element_type == GgufType::kF32;
  if (!floats || array->count != vocabulary_size || array->bytes.size() / 4 < vocabulary_size) {
    return invalid(kKey, "is not one 32-bit float a token");
  }
  std::vector<float> scores(vocabulary_size);
  for (std::size_t i = 0; i < vocabulary_size; ++i) {
    const std::uint8_t* element = array->bytes.data() + 4 * i;
    scores[i] = std::bit_cast<float>(element[0] | std::uint32_t{element[1]} << 8 |
                                     std::uint32_t{element[2]} << 16 | std::uint32_t{element[3]} << 24);
  }
  return scores;
}

// Empty where the file has none.
Result<std::span<const std::uint8_t>> read_charsmap(const GgufFile& file) {
  constexpr std::string_view kKey = "tokenizer.ggml.precompiled_charsmap";
  if (file.find(kKey) == nullptr) return std::span<const std::uint8_t>();
  const GgufArray* array = file.get_array(kKey);
  const bool bytes =
      array != nullptr && (array->element_type == GgufType::kU8 || array->element_type == GgufType::kI8);
  if (!bytes) return invalid(kKey, "is not an array of bytes");
  return array->bytes;
}

// Nothing where the key is absent.
Result<std::optional<bool>> read_flag(const GgufFile& file, std::string_view key) {
  if (file.find(key) == nullptr) return std::optional<bool>();
  const std::optional<bool> flag = file.get_bool(key);
  if (!flag) return invalid(key, "is not true or false");
  return flag;
}

}  // namespace

Result<VocabularySpec> read_vocabulary_spec(const GgufFile& file) {
  constexpr std::string_view kModelKey = "tokenizer.ggml.model";
  constexpr std::string_view kTokensKey = "tokenizer.ggml.tokens";
  constexpr std::string_view kMergesKey = "tokenizer.ggml.merges";
  constexpr std::string_view kPreKey = "tokenizer.ggml.pre";

  if (file.find(kModelKey) == nullptr) return missing(kModelKey);
  const auto model = file.get_string(kModelKey);
  if (!model) return invalid(kModelKey, "is not a string");
  const TokenizerModelName* known =
      std::find_if(std::begin(kTokenizerModels), std::end(kTokenizerModels),
                   [&](const TokenizerModelName& each) { return each.name == *model; });
  if (known == std::end(kTokenizerModels)) {
    return Status{ErrorCode::kModelTokenizerUnsupported,
                  "The model's tokenizer is of the kind " + quoted(*model) +
                      "; choose a model with a byte-level BPE (\"gpt2\"), a SentencePiece BPE (\"llama\") or "
                      "a unigram (\"t5\") tokenizer."};
  }

  VocabularySpec spec;
  spec.model = known->model;
  if (file.find(kTokensKey) == nullptr) return missing(kTokensKey);
  const GgufArray* tokens = file.get_array(kTokensKey);
  if (tokens == nullptr || tokens->element_type != GgufType::kString)
    return invalid(kTokensKey, "is not an array of strings");
  spec.tokens = tokens->strings;

  TRY_VALUE(spec.types, read_types(file, spec.tokens.size()));

  if (spec.model != TokenizerModel::kByteLevel) {
    spec.pre_tokenizer = known->name;
    TRY_VALUE(spec.scores, read_scores(file, spec.tokens.size()));
    TRY_VALUE(spec.adds_space_prefix, read_flag(file, "tokenizer.ggml.add_space_prefix"));
  }
  if (spec.model == TokenizerModel::kUnigram) {
    TRY_VALUE(spec.charsmap, read_charsmap(file));
    TRY_VALUE(const auto removes, read_flag(file, "tokenizer.ggml.remove_extra_whitespaces"));
    spec.removes_extra_spaces = removes.value_or(false);
  }
  if (spec.model == TokenizerModel::kByteLevel) {
    if (file.find(kMergesKey) == nullptr) return missing(kMergesKey);
    const GgufArray* merges = file.get_array(kMergesKey);
    if (merges == nullptr || merges->element_type != GgufType::kString)
      return invalid(kMergesKey, "is not an array of strings");
    spec.merges = merges->strings;
    spec.pre_tokenizer = "default";
    if (file.find(kPreKey) != nullptr) {
      const auto pre = file.get_string(kPreKey);
      if (!pre) return invalid(kPreKey, "is not a string");
      spec.pre_tokenizer = *pre;
    }
  }
  TRY_VALUE(spec.adds_bos, read_flag(file, "tokenizer.ggml.add_bos_token"));

  struct IdKey {
    std::string_view key;
    TokenId* named;  // null: of no further use
    bool ends;       // one more way to end
  };
  const IdKey id_keys[] = {
      {"tokenizer.ggml.bos_token_id", &spec.bos, false},
      {"tokenizer.ggml.eos_token_id", &spec.eos, false},
      {"tokenizer.ggml.unknown_token_id", &spec.unknown, false},
      {"tokenizer.ggml.eot_token_id", nullptr, true},
      {"tokenizer.ggml.eom_token_id", nullptr, true},
      // What the next three were called at first.
      {"tokenizer.ggml.prefix_token_id", &spec.fim.prefix, false},
      {"tokenizer.ggml.suffix_token_id", &spec.fim.suffix, false},
      {"tokenizer.ggml.middle_token_id", &spec.fim.middle, false},
      {"tokenizer.ggml.fim_pre_token_id", &spec.fim.prefix, false},
      {"tokenizer.ggml.fim_suf_token_id", &spec.fim.suffix, false},
      {"tokenizer.ggml.fim_mid_token_id", &spec.fim.middle, false},
      {"tokenizer.ggml.fim_pad_token_id", nullptr, true},
      {"tokenizer.ggml.fim_rep_token_id", &spec.fim.repository, true},
      {"tokenizer.ggml.fim_sep_token_id", &spec.fim.separator, true},
  };
  for (const IdKey& id_key : id_keys) {
    TRY_VALUE(const auto id, read_token_id(file, id_key.key, spec.tokens.size()));
    if (id_key.named != nullptr && id != kNoToken) *id_key.named = id;
    if (id_key.ends && id != kNoToken) spec.other_ends.push_back(id);
  }
  return spec;
}

}  // namespace emberline
