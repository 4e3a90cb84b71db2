// What a model file says about its tokenizer, before anything is built from it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

class GgufFile;

// The values of GGUF's `tokenizer.ggml.token_type`.
enum class TokenType : std::uint8_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};

// How a text becomes tokens, by GGUF's `tokenizer.ggml.model`.
enum class TokenizerModel : std::uint8_t {
  kByteLevel,      // `gpt2`: byte-level BPE with merges
  kSentencePiece,  // `llama`: SentencePiece's BPE with scores
  kUnigram,        // `t5`: SentencePiece's unigram model, scores being log probabilities
};

// Views: what they point into must outlive the construction of a Tokenizer, not the Tokenizer.
struct VocabularySpec {
  TokenizerModel model = TokenizerModel::kByteLevel;
  // By id. Of kByteLevel, normal tokens are spelled in GPT-2's byte alphabet; of the others, a U+2581 stands
  // for a space in normal and user-defined ones. The rest is literal.
  std::vector<std::string_view> tokens;
  std::vector<TokenType> types;          // as many as tokens, or empty: all normal
  std::vector<std::string_view> merges;  // kByteLevel: "left right", most important first
  std::vector<float> scores;             // but of kByteLevel: one a token
  // kUnigram: the normalisation (text_normaliser.h).
  std::span<const std::uint8_t> charsmap;
  bool removes_extra_spaces = false;
  // GGUF's name of how text is split; of the others than kByteLevel the name of the model, since nothing is
  // split.
  std::string_view pre_tokenizer;
  TokenId bos = kNoToken;
  TokenId eos = kNoToken;
  std::vector<TokenId> other_ends;  // end of turn, end of message, FIM padding and separators
  FimTokens fim;
  TokenId unknown = kNoToken;
  std::optional<bool> adds_bos;
  std::optional<bool> adds_space_prefix;
};

// The `tokenizer.ggml.*` keys of `file`; views into its mapping. Checks types, not contents.
// MODEL_METADATA_MISSING, MODEL_METADATA_INVALID, MODEL_TOKENIZER_UNSUPPORTED (a model of another kind).
Result<VocabularySpec> read_vocabulary_spec(const GgufFile& file);

}  // namespace emberline
