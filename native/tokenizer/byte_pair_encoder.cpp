#include "tokenizer/byte_pair_encoder.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/try.h"

namespace emberline {
namespace {

constexpr std::uint32_t kEnd = 0xFFFFFFFFu;  // no neighbour

}  // namespace

Result<BytePairEncoder> BytePairEncoder::make(const Vocabulary& vocabulary,
                                              std::span<const std::string_view> merges, bool ignores_merges) {
  TRY_VALUE(MergeTable table, MergeTable::make(vocabulary, merges));
  BytePairEncoder encoder(vocabulary, std::move(table));
  encoder.ignores_merges_ = ignores_merges;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    encoder.byte_tokens_[byte] = vocabulary.find_normal({&c, 1});
  }
  encoder.whole_ = std::make_unique<std::atomic<Whole>[]>(vocabulary.size());
  return encoder;
}

void BytePairEncoder::encode(std::string_view piece, BytePairScratch& scratch,
                             std::vector<TokenId>& out) const {
  const TokenId token = vocabulary_->find_normal(piece);
  if (token == kNoToken) {
    merge_bytes(piece, scratch, out);
    return;
  }
  if (ignores_merges_) {
    out.push_back(token);
    return;
  }
  std::atomic<Whole>& whole = whole_[token];
  const Whole known = whole.load(std::memory_order_relaxed);
  if (known == Whole::kYes) {
    out.push_back(token);
    return;
  }
  const std::size_t old_size = out.size();
  merge_bytes(piece, scratch, out);
  if (known == Whole::kUnknown) {
    const bool is_whole = out.size() == old_size + 1 && out.back() == token;
    whole.store(is_whole ? Whole::kYes : Whole::kNo, std::memory_order_relaxed);
  }
}

const Merge* BytePairEncoder::merge_at(std::uint32_t left, const BytePairScratch& scratch) const {
  const BytePairScratch::Symbol& symbol = scratch.symbols[left];
  if (symbol.id == kNoToken || symbol.next == kEnd) return nullptr;
  const TokenId right_id = scratch.symbols[symbol.next].id;
  return right_id == kNoToken ? nullptr : merges_.find(symbol.id, right_id);
}

void BytePairEncoder::merge_bytes(std::string_view piece, BytePairScratch& scratch,
                                  std::vector<TokenId>& out) const {
  // Positions are 32-bit. No caller's text comes near (V8's longest string is 2^29 characters), but the cut
  // keeps it safe.
  constexpr std::size_t kMaxPiece = std::size_t{1} << 31;
  for (; piece.size() > kMaxPiece; piece.remove_prefix(kMaxPiece))
    merge_bytes(piece.substr(0, kMaxPiece), scratch, out);

  auto& symbols = scratch.symbols;
  const auto count = static_cast<std::uint32_t>(piece.size());
  symbols.resize(count);
  scratch.queue.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    symbols[i] = {byte_tokens_[static_cast<unsigned char>(piece[i])], i == 0 ? kEnd : i - 1,
                  i + 1 == count ? kEnd : i + 1};
  }
  auto& queue = scratch.queue;
  const auto order = [](const Merge& merge, std::uint32_t left) {
    return std::uint64_t{merge.rank} << 32 | left;
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    if (const Merge* merge = merge_at(i, scratch)) queue.push_back(order(*merge, i));
  }
  std::make_heap(queue.begin(), queue.end(), std::greater<>());
  const auto push = [&](std::uint32_t left) {
    if (const Merge* merge = merge_at(left, scratch)) {
      queue.push_back(order(*merge, left));
      std::push_heap(queue.begin(), queue.end(), std::greater<>());
    }
  };

  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), std::greater<>());
    const std::uint64_t next = queue.back();
    queue.pop_back();
    ++scratch.steps;

    // Stale where either side has been merged since: what stands there now has another merge, or none.
    const auto left = static_cast<std::uint32_t>(next);
    const Merge* merge = merge_at(left, scratch);
    if (merge == nullptr || order(*merge, left) != next) continue;

    const std::uint32_t right = symbols[left].next;
    const std::uint32_t after = symbols[right].next;
    symbols[left] = {merge->product, symbols[left].previous, after};
    symbols[right].id = kNoToken;
    if (after != kEnd) symbols[after].previous = left;
    if (symbols[left].previous != kEnd) push(symbols[left].previous);
    push(left);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (symbols[i].id != kNoToken) out.push_back(symbols[i].id);
  }
}

}  // namespace emberline
