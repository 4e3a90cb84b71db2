#include "tokenizer/scored_pair_encoder.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "base/utf8.h"

namespace emberline {
namespace {

constexpr std::uint32_t kNoSymbol = 0xFFFFFFFFu;  // no neighbour

using Join = ScoredPairEncoder::Scratch::Join;

// Of a heap, whose greatest is first.
bool comes_later(const Join& a, const Join& b) {
  return a.score != b.score ? a.score < b.score : a.left > b.left;
}

}  // namespace

Result<ScoredPairEncoder> ScoredPairEncoder::make(const Vocabulary& vocabulary,
                                                  const std::vector<float>& scores, TokenId unknown) {
  TRY_VALUE(auto scored, ScoredVocabulary::make(vocabulary, scores, unknown));
  return ScoredPairEncoder(std::move(scored));
}

void ScoredPairEncoder::encode(std::string_view text, const std::atomic<bool>* cancel, Scratch& scratch,
                               std::vector<TokenId>& out) const {
  vocabulary_.each_piece(text, cancel, [&](std::string_view piece, bool& after_unknown) {
    encode_piece(piece, scratch, after_unknown, out);
  });
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
    if (length > vocabulary_.longest_token()) return false;
    const TokenId token = vocabulary_.tokens().find_normal(piece.substr(left, length));
    if (token != kNoToken) queue.push_back({vocabulary_.score(token), left, length});
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
    const TokenId token = vocabulary_.tokens().find_normal(symbol);
    if (token == kNoToken) {
      // Only single characters are no tokens.
      vocabulary_.spell(symbol, after_unknown, out);
    } else {
      out.push_back(token);
      after_unknown = false;
    }
  }
}

}  // namespace emberline
