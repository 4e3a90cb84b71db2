// Byte pair encoding of one piece: from single bytes, always apply the most important merge, the leftmost
// first.
//
// Source: Sennrich et al. 2016, algorithm 1, with the merges kept in a priority queue: O(n log n) for n
// bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "tokenizer/merge_table.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary.h"

namespace emberline {

// Buffers that one thread reuses from piece to piece.
struct BytePairScratch {
  struct Symbol {
    TokenId id;  // kNoToken: merged into its left neighbour, or a byte the vocabulary has no token for
    std::uint32_t previous;
    std::uint32_t next;
  };
  std::vector<Symbol> symbols;
  // A heap of the merges that may apply: rank << 32 | position of the left symbol, the smallest next.
  std::vector<std::uint64_t> queue;
  // Entries taken off the queue since it was created: the measure of work.
  std::uint64_t steps = 0;
};

class BytePairEncoder {
 public:
  // `vocabulary` must outlive the encoder; `merges` and the errors are MergeTable's.
  static Result<BytePairEncoder> make(const Vocabulary& vocabulary, std::span<const std::string_view> merges,
                                      bool ignores_merges);

  // Appends the ids of `piece`. A byte that has no token of its own is left out, and nothing merges across
  // it. Thread-safe, each thread with its own scratch: 20 bytes of it for every byte of the longest piece.
  void encode(std::string_view piece, BytePairScratch& scratch, std::vector<TokenId>& out) const;

 private:
  enum class Whole : std::uint8_t { kUnknown, kYes, kNo };

  BytePairEncoder(const Vocabulary& vocabulary, MergeTable merges)
      : vocabulary_(&vocabulary), merges_(std::move(merges)) {}
  void merge_bytes(std::string_view piece, BytePairScratch& scratch, std::vector<TokenId>& out) const;
  // The merge of the symbol at `left` with its right neighbour, or null.
  const Merge* merge_at(std::uint32_t left, const BytePairScratch& scratch) const;

  const Vocabulary* vocabulary_;
  bool ignores_merges_ = false;
  TokenId byte_tokens_[256];
  MergeTable merges_;
  // Whether the merges take a token's bytes to that one token; found out at its first use. Threads that race
  // write the same.
  std::unique_ptr<std::atomic<Whole>[]> whole_;
};

}  // namespace emberline
