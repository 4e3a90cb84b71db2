// The tokens themselves: their bytes, their kinds, and how to find one by its bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/prefetch.h"
#include "base/status.h"
#include "tokenizer/byte_hash.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary_spec.h"

namespace emberline {

// Immutable once made.
class Vocabulary {
 public:
  // MODEL_METADATA_INVALID where the tokens cannot be a vocabulary.
  static Result<Vocabulary> make(const VocabularySpec& spec);

  std::uint32_t size() const { return static_cast<std::uint32_t>(kinds_.size()); }
  // Precondition for both: id < size().
  std::string_view bytes(TokenId id) const {
    return std::string_view(arena_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  TokenKind kind(TokenId id) const { return kinds_[id]; }

  // Of a SentencePiece model, the token for a byte of characters that have none; kNoToken where it lacks one,
  // and for other models, whose tokens for single bytes are tokens as all others.
  TokenId byte_fallback(char byte) const { return byte_fallbacks_[static_cast<unsigned char>(byte)]; }
  bool is_byte_fallback(TokenId id) const {
    return bytes(id).size() == 1 && byte_fallback(bytes(id)[0]) == id;
  }

  // The normal token that spells exactly these bytes, the lowest id of several; kNoToken if there is none. No
  // byte fallback. O(length).
  TokenId find_normal(std::string_view bytes) const { return find_normal(bytes, hash_bytes(bytes)); }

  // The same in two steps, for those who look up many: the index is larger than the caches near a processor,
  // so what is announced early is found without a wait.
  void announce(std::uint64_t hash) const { prefetch(&normal_by_hash_[hash & slot_mask()]); }
  TokenId find_normal(std::string_view bytes, std::uint64_t hash) const;

 private:
  Vocabulary() { byte_fallbacks_.fill(kNoToken); }
  // Appends the bytes of a token. False where no text becomes it, one by one or by merges.
  bool append_byte_level(std::string_view token, TokenType type);
  bool append_sentence_piece(std::string_view token, TokenType type);
  void index_tokens(const std::vector<bool>& reachable);

  std::string arena_;                   // the bytes of all tokens, in the order of their ids
  std::vector<std::uint32_t> offsets_;  // [size + 1] into arena_
  std::vector<TokenKind> kinds_;        // [size]
  std::array<TokenId, 256> byte_fallbacks_;

  // Open addressing, a power of two of slots and at least twice as many as needed.
  struct Slot {
    std::uint32_t tag = 0;  // upper half of the hash: so that other tokens' bytes are hardly ever looked at
    TokenId id = kNoToken;  // kNoToken: free
  };
  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
  std::size_t slot_mask() const { return normal_by_hash_.size() - 1; }
  // Of the token with these bytes, or the free one where it would be put.
  std::size_t find_slot(std::string_view bytes, std::uint64_t hash) const;
  std::vector<Slot> normal_by_hash_;
};

}  // namespace emberline
