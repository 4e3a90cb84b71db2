#include "tokenizer/scored_pair_encoder.h"

#include <algorithm>
#include <cmath>

#include "tokenizer/utf8.h"

namespace emberline {
namespace {

constexpr std::uint32_t kNoSymbol = 0xFFFFFFFFu;  // no neighbour
// Positions are 32-bit, and the symbols of a piece take 12 times its size.
constexpr std::size_t kMaxPiece = std::size_t{1} << 26;

using Join = ScoredPairEncoder::Scratch::Join;

// Of a heap, whose greatest is first.
bool comes_later(const Join& a, const Join& b) {
  return a.score != b.score ? a.score < b.score : a.left > b.left;
}

// Where the next word begins: a space behind something else.
std::size_t word_end(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == ' ' && text[i - 1] != ' ') return i;
  }
  return text.size();
}

}  // namespace

Result<ScoredPairEncoder> ScoredPairEncoder::make(const Vocabulary& vocabulary,
                                                  const std::vector<float>& scores, TokenId unknown) {
  const bool numbers =
      std::none_of(scores.begin(), scores.end(), [](float score) { return std::isnan(score); });
  if (scores.size() != vocabulary.size() || !numbers) {
    return Status{ErrorCode::kModelMetadataInvalid,
                  "The model's vocabulary does not have one score a token; convert the model again or "
                  "download it anew."};
  }
  ScoredPairEncoder encoder(vocabulary);
  encoder.scores_ = scores;
  encoder.unknown_ = unknown;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const std::string_view bytes = vocabulary.bytes(id);
    if (vocabulary.kind(id) != TokenKind::kNormal) continue;
    encoder.longest_token_ = std::max(encoder.longest_token_, static_cast<std::uint32_t>(bytes.size()));
    if (word_end(bytes) < bytes.size()) encoder.tokens_reach_over_words_ = true;
  }
  return encoder;
}

void ScoredPairEncoder::encode(std::string_view text, const std::atomic<bool>* cancel, Scratch& scratch,
                               std::vector<TokenId>& out) const {
  bool after_unknown = false;
  while (!text.empty()) {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) return;
    const std::string_view most = text.substr(0, kMaxPiece);
    const std::size_t end = tokens_reach_over_words_ ? most.size() : word_end(most);
    encode_piece(text.substr(0, end), scratch, after_unknown, out);
    text.remove_prefix(end);
  }
}

void ScoredPairEncoder::encode_piece(std::string_view piece, Scratch& scratch, bool& after_unknown,
                                     std::vector<TokenId>& out) const {
  const auto count = static_cast<std::uint32_t>(piece.size());
  auto& symbols = scratch.symbols;
  auto& queue = scratch.queue;
  symbols.resize(count);
  queue.clear();
  std::uint32_t last = kNoSymbol;
  for (std::uint32_t at = 0; at < count;) {
    const Utf8Unit unit = read_utf8(piece, at);
    const std::uint32_t length = unit.sequence == Utf8Sequence::kValid ? unit.length : 1;
    symbols[at] = {length, last, at + length == count ? kNoSymbol : at + length};
    last = at;
    at += length;
  }
  // The join of the symbol at `left` with its right neighbour, if there is such a token.
  const auto push = [&](std::uint32_t left) {
    if (left == kNoSymbol || symbols[left].next == kNoSymbol) return false;
    const std::uint32_t length = symbols[left].length + symbols[symbols[left].next].length;
    if (length > longest_token_) return false;
    const TokenId token = vocabulary_->find_normal(piece.substr(left, length));
    if (token != kNoToken) queue.push_back({scores_[token], left, length});
    return token != kNoToken;
  };
  for (std::uint32_t at = 0; at < count && at != kNoSymbol; at = symbols[at].next) push(at);
  std::make_heap(queue.begin(), queue.end(), comes_later);
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), comes_later);
    const Join join = queue.back();
    queue.pop_back();
    auto& left = symbols[join.left];
    if (left.length == 0 || left.next == kNoSymbol) continue;
    auto& right = symbols[left.next];
    if (left.length + right.length != join.length) continue;
    right.length = 0;
    left.length = join.length;
    left.next = right.next;
    if (left.next != kNoSymbol) symbols[left.next].previous = join.left;
    if (push(left.previous)) std::push_heap(queue.begin(), queue.end(), comes_later);
    if (push(join.left)) std::push_heap(queue.begin(), queue.end(), comes_later);
  }
  for (std::uint32_t at = 0; at < count && at != kNoSymbol; at = symbols[at].next) {
    const std::string_view symbol = piece.substr(at, symbols[at].length);
    const TokenId token = vocabulary_->find_normal(symbol);
    if (token == kNoToken) {
      spell(symbol, after_unknown, out);
    } else {
      out.push_back(token);
      after_unknown = false;
    }
  }
}

// Only single characters are no tokens.
void ScoredPairEncoder::spell(std::string_view character, bool& after_unknown,
                              std::vector<TokenId>& out) const {
  const auto has_token = [&](char c) { return vocabulary_->byte_fallback(c) != kNoToken; };
  if (std::all_of(character.begin(), character.end(), has_token)) {
    for (const char c : character) out.push_back(vocabulary_->byte_fallback(c));
    after_unknown = false;
  } else if (unknown_ != kNoToken) {
    if (!after_unknown) out.push_back(unknown_);
    after_unknown = true;
  }
}

}  // namespace emberline
