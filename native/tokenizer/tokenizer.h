// Text to token ids and back, exactly as the model was trained: byte pair encoding, or a unigram model.
//
// Source: Sennrich et al. 2016 (BPE on merges), Radford et al. 2019 (bytes as the base alphabet);
// pre-tokenisation follows the regular expression of each model family, named by GGUF's `tokenizer.ggml.pre`.
// Kudo and Richardson 2018 (SentencePiece's BPE, without pre-tokenisation), Kudo 2018 (its unigram model). No
// Unicode normalisation is applied but the one that a unigram model's file holds.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace emberline {

class GgufFile;
struct VocabularySpec;

using TokenId = std::uint32_t;
inline constexpr TokenId kNoToken = 0xFFFFFFFFu;

enum class TokenKind : std::uint8_t {
  kNormal,
  kControl,      // <|endoftext|> and the like: never produced from plain text
  kUserDefined,  // matched in plain text before pre-tokenisation
  kUnused,
};

// The tokens that mark the parts of a fill-in-the-middle prompt, by the keys of the model's file and by the
// names its family gives them (fim_families.h); kNoToken where there is none.
struct FimTokens {
  TokenId prefix = kNoToken, suffix = kNoToken, middle = kNoToken;
  TokenId separator = kNoToken;   // between files
  TokenId repository = kNoToken;  // in front of the name that files belong to
  // Of the family, texts that stay; empty where it is not known: the order of the parts, and how the files of
  // a repository are named (fim_families.h).
  std::string_view layout = {}, files = {};
  bool operator==(const FimTokens&) const = default;
};

class Tokenizer {
 public:
  // MODEL_METADATA_MISSING, MODEL_METADATA_INVALID, MODEL_TOKENIZER_UNSUPPORTED.
  static Result<std::unique_ptr<Tokenizer>> from_gguf(const GgufFile& file);
  // The same from a vocabulary that is already read; what `spec` views need not outlive the call.
  static Result<std::unique_ptr<Tokenizer>> from_vocabulary(const VocabularySpec& spec);
  ~Tokenizer();

  std::uint32_t vocabulary_size() const;

  // Ids of `text` (any bytes; invalid UTF-8 is kept byte by byte). With `parse_special`, control tokens
  // written out in the text become their ids; without it they are spelled as ordinary text. No BOS or EOS is
  // added. Thread-safe. Time linear in the text but for a logarithmic factor in the longest piece.
  //
  // A vocabulary may lack tokens for some single bytes (SmolLM2 has none for 04 06 13 14 16 1D C0 C1 F1 F2
  // F5..FF, which valid text hardly ever holds); such bytes are left out, or the unknown token where a
  // SentencePiece model has one. With those aside, decode(encode(text)) is text, byte for byte; of a model
  // that normalises, the normalised text.
  //
  // `text` is taken for one that goes on behind another: see adds_space_prefix().
  //
  // Where `cancel` is seen to be set, the ids so far: of no use but to be thrown away.
  std::vector<TokenId> encode(std::string_view text, bool parse_special,
                              const std::atomic<bool>* cancel = nullptr) const;

  // The bytes token `id` stands for. Control tokens: their name. Out of range: empty.
  std::string_view bytes(TokenId id) const;
  TokenKind kind(TokenId id) const;
  std::string decode(std::span<const TokenId> ids) const;  // concatenated bytes

  // kNoToken where the model has none.
  TokenId bos() const;
  TokenId eos() const;
  bool adds_bos() const;
  // Whether the model was taught texts with one more space in front: a text that begins a prompt is to be
  // encoded with it. What the model writes is taken as it is.
  bool adds_space_prefix() const;
  // True for every token that ends generation (EOS, EOT, <|endoftext|>, FIM padding and file separators).
  bool ends_generation(TokenId id) const;
  const FimTokens& fim() const;

  // Tokens sorted by their bytes, control and unused ones left out: tokens that begin with a given string are
  // a range. Used by healing (decode/) and grammars.
  std::span<const TokenId> sorted_by_bytes() const;

  // Every token whose bytes start with `prefix`: a sub-range of sorted_by_bytes(). O(log V).
  std::span<const TokenId> tokens_starting_with(std::string_view prefix) const;
  // The token with exactly these bytes, or kNoToken. O(log V).
  TokenId token_of_bytes(std::string_view bytes) const;

  const std::string& pre_tokenizer_name() const;

 private:
  struct Impl;
  explicit Tokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace emberline
