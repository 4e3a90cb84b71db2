// What a model file says about its tokenizer, before anything is built from it.
#pragma once

#include <cstdint>
#include <optional>
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

// Views: what they point into must outlive the construction of a Tokenizer, not the Tokenizer.
struct VocabularySpec {
  std::vector<std::string_view>
      tokens;  // by id; normal tokens spelled in GPT-2's byte alphabet, the others literally
  std::vector<TokenType> types;          // as many as tokens, or empty: all normal
  std::vector<std::string_view> merges;  // "left right", most important first
  std::string_view pre_tokenizer;        // GGUF's name
  TokenId bos = kNoToken;
  TokenId eos = kNoToken;
  std::vector<TokenId> other_ends;  // end of turn, end of message, FIM padding and separators
  FimTokens fim;
  std::optional<bool> adds_bos;
};

// The `tokenizer.ggml.*` keys of `file`; views into its mapping. Checks types, not contents.
// MODEL_METADATA_MISSING, MODEL_METADATA_INVALID, MODEL_TOKENIZER_UNSUPPORTED (not byte-level BPE).
Result<VocabularySpec> read_vocabulary_spec(const GgufFile& file);

}  // namespace emberline
