#include "tokenizer/byte_pair_encoder.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

#include "tokenizer/byte_alphabet.h"
#include "tokenizer/byte_hash.h"

namespace emberline {
namespace {

constexpr std::uint32_t kEnd = 0xFFFFFFFFu;  // no neighbour

std::uint64_t hash_pair(TokenId left, TokenId right) {
  return mix_bits(std::uint64_t{left} << 32 | right);
}

}  // namespace

Result<BytePairEncoder> BytePairEncoder::make(const Vocabulary& vocabulary,
                                              const std::vector<std::string_view>& merges,
                                              bool ignores_merges) {
  if (merges.size() >= kEnd / 2) {
    return Status{ErrorCode::kModelMetadataInvalid,
                  "The model's vocabulary has more merges than the engine takes; choose another model."};
  }
  BytePairEncoder encoder(vocabulary);
  encoder.ignores_merges_ = ignores_merges;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    encoder.byte_tokens_[byte] = vocabulary.find_normal({&c, 1});
  }
  encoder.whole_ = std::make_unique<std::atomic<Whole>[]>(vocabulary.size());
  encoder.merges_.reserve(merges.size());
  encoder.slots_.assign(std::bit_ceil(2 * merges.size() + 1), kNoMerge);

  std::string bytes;
  for (std::uint32_t rank = 0; rank < merges.size(); ++rank) {
    const std::string_view merge = merges[rank];
    // The alphabet spells a space with another character, so the first one is the separator.
    const std::size_t space = merge.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == merge.size()) {
      return Status{ErrorCode::kModelMetadataInvalid,
                    "Merge " + std::to_string(rank) +
                        " of the model's vocabulary is not two parts with a space between "
                        "them; convert the model again or download it anew."};
    }
    bytes.clear();
    if (!append_spelled_bytes(merge.substr(0, space), bytes)) continue;
    const std::size_t left_size = bytes.size();
    if (!append_spelled_bytes(merge.substr(space + 1), bytes)) continue;
    const std::string_view both = bytes;
    const Merge entry = {vocabulary.find_normal(both.substr(0, left_size)),
                         vocabulary.find_normal(both.substr(left_size)), rank, vocabulary.find_normal(both)};
    const bool applies = entry.left != kNoToken && entry.right != kNoToken && entry.product != kNoToken;
    if (applies) encoder.add_merge(entry);
  }
  return encoder;
}

void BytePairEncoder::add_merge(const Merge& merge) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_pair(merge.left, merge.right) & mask;
  for (; slots_[slot] != kNoMerge; slot = (slot + 1) & mask) {
    const Merge& other = merges_[slots_[slot]];
    if (other.left == merge.left && other.right == merge.right) return;
  }
  slots_[slot] = static_cast<std::uint32_t>(merges_.size());
  merges_.push_back(merge);
}

const BytePairEncoder::Merge* BytePairEncoder::find_merge(TokenId left, TokenId right) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash_pair(left, right) & mask;; slot = (slot + 1) & mask) {
    if (slots_[slot] == kNoMerge) return nullptr;
    const Merge& merge = merges_[slots_[slot]];
    if (merge.left == left && merge.right == right) return &merge;
  }
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

const BytePairEncoder::Merge* BytePairEncoder::merge_at(std::uint32_t left,
                                                        const BytePairScratch& scratch) const {
  const BytePairScratch::Symbol& symbol = scratch.symbols[left];
  if (symbol.id == kNoToken || symbol.next == kEnd) return nullptr;
  const TokenId right_id = scratch.symbols[symbol.next].id;
  return right_id == kNoToken ? nullptr : find_merge(symbol.id, right_id);
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
