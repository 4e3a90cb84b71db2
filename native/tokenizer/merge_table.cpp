#include "tokenizer/merge_table.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/prefetch.h"
#include "base/try.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/byte_hash.h"

namespace emberline {
namespace {

std::uint64_t hash_pair(TokenId left, TokenId right) {
  return mix_bits(std::uint64_t{left} << 32 | right);
}

// Merges on their way into the table, a block at a time: what a block needs of the vocabulary's index and of
// the table comes nearer while the rest of the block is read.
class Block {
 public:
  static constexpr std::size_t kMerges = 32;

  explicit Block(const Vocabulary& vocabulary) : vocabulary_(&vocabulary) {}

  void clear() {
    spelled_.clear();
    bytes_.clear();
    found_.clear();
  }

  // Nothing where a part is not spelled in the byte alphabet, since then no normal token has it.
  Status read(std::string_view merge, std::uint32_t rank) {
    // The alphabet spells a space with another character, so the first one is the separator.
    const std::size_t space = merge.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == merge.size()) {
      return Status{ErrorCode::kModelMetadataInvalid,
                    "Merge " + std::to_string(rank) +
                        " of the model's vocabulary is not two parts with a space between "
                        "them; convert the model again or download it anew."};
    }
    const std::size_t begin = bytes_.size();
    const bool left = append_spelled_bytes(merge.substr(0, space), bytes_);
    const std::size_t middle = bytes_.size();
    if (!left || !append_spelled_bytes(merge.substr(space + 1), bytes_)) {
      bytes_.resize(begin);
      return {};
    }
    const std::size_t end = bytes_.size();
    spelled_.push_back({{begin, middle}, {middle, end}, {begin, end}, rank});
    return {};
  }

  // Of those read since the block was cleared, the merges that can apply.
  std::span<const Merge> find() {
    for (Spelled& spelled : spelled_) {
      announce(spelled.left);
      announce(spelled.right);
      announce(spelled.product);
    }
    for (const Spelled& spelled : spelled_) {
      const Merge merge{find(spelled.left), find(spelled.right), spelled.rank, find(spelled.product)};
      const bool applies = merge.left != kNoToken && merge.right != kNoToken && merge.product != kNoToken;
      if (applies) found_.push_back(merge);
    }
    return found_;
  }

 private:
  struct Part {
    std::size_t begin, end;  // in bytes_
    std::uint64_t hash = 0;
  };
  struct Spelled {
    Part left, right, product;
    std::uint32_t rank;
  };

  std::string_view text(std::size_t begin, std::size_t end) const {
    return std::string_view(bytes_).substr(begin, end - begin);
  }
  void announce(Part& part) const {
    part.hash = hash_bytes(text(part.begin, part.end));
    vocabulary_->announce(part.hash);
  }
  TokenId find(const Part& part) const {
    return vocabulary_->find_normal(text(part.begin, part.end), part.hash);
  }

  const Vocabulary* vocabulary_;
  std::string bytes_;
  std::vector<Spelled> spelled_;
  std::vector<Merge> found_;
};

}  // namespace

Result<MergeTable> MergeTable::make(const Vocabulary& vocabulary, std::span<const std::string_view> merges) {
  if (merges.size() >= kFree / 2) {
    return Status{ErrorCode::kModelMetadataInvalid,
                  "The model's vocabulary has more merges than the engine takes; choose another model."};
  }
  MergeTable table;
  table.merges_.reserve(merges.size());
  table.slots_.assign(std::bit_ceil(2 * merges.size() + 1), kFree);
  Block block(vocabulary);
  for (std::size_t first = 0; first < merges.size(); first += Block::kMerges) {
    const std::size_t end = std::min(first + Block::kMerges, merges.size());
    block.clear();
    for (std::size_t rank = first; rank < end; ++rank) {
      TRY(block.read(merges[rank], static_cast<std::uint32_t>(rank)));
    }
    table.add(block.find());
  }
  return table;
}

void MergeTable::add(std::span<const Merge> merges) {
  const std::size_t mask = slots_.size() - 1;
  for (const Merge& merge : merges) prefetch(&slots_[hash_pair(merge.left, merge.right) & mask]);
  for (const Merge& merge : merges) {
    // The first would be found anyhow; but a file with the same merge over and over would fill slot after
    // slot.
    if (find(merge.left, merge.right) != nullptr) continue;
    std::size_t slot = hash_pair(merge.left, merge.right) & mask;
    while (slots_[slot] != kFree) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(merges_.size());
    merges_.push_back(merge);
  }
}

const Merge* MergeTable::find(TokenId left, TokenId right) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash_pair(left, right) & mask;; slot = (slot + 1) & mask) {
    if (slots_[slot] == kFree) return nullptr;
    const Merge& merge = merges_[slots_[slot]];
    if (merge.left == left && merge.right == right) return &merge;
  }
}

}  // namespace emberline
