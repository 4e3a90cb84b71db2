#include "tokenizer/unigram_encoder.h"

#include <algorithm>

#include "base/try.h"
#include "base/utf8.h"

namespace emberline {
namespace {

constexpr std::uint32_t kNowhere = 0xFFFFFFFFu;
constexpr float kUnknownPenalty = 10;

std::uint8_t byte_at(std::string_view text, std::size_t position) {
  return static_cast<std::uint8_t>(text[position]);
}

}  // namespace

Result<UnigramEncoder> UnigramEncoder::make(const Vocabulary& vocabulary, const std::vector<float>& scores,
                                            TokenId unknown) {
  TRY_VALUE(auto scored, ScoredVocabulary::make(vocabulary, scores, unknown));
  return UnigramEncoder(std::move(scored));
}

UnigramEncoder::UnigramEncoder(ScoredVocabulary&& vocabulary) : vocabulary_(std::move(vocabulary)) {
  const Vocabulary& tokens = vocabulary_.tokens();
  float least = 0;
  for (TokenId id = 0; id < tokens.size(); ++id) {
    // Byte fallbacks are normal tokens, too, but no text is cut into them.
    if (tokens.kind(id) != TokenKind::kNormal || tokens.bytes(id).empty() || tokens.is_byte_fallback(id))
      continue;
    least = sorted_.empty() ? vocabulary_.score(id) : std::min(least, vocabulary_.score(id));
    sorted_.push_back(id);
  }
  unknown_score_ = least - kUnknownPenalty;
  std::stable_sort(sorted_.begin(), sorted_.end(),
                   [&](TokenId a, TokenId b) { return tokens.bytes(a) < tokens.bytes(b); });
  for (const TokenId id : sorted_) ++first_[byte_at(tokens.bytes(id), 0) + 1u];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
}

void UnigramEncoder::encode(std::string_view text, const std::atomic<bool>* cancel, Scratch& scratch,
                            std::vector<TokenId>& out) const {
  vocabulary_.each_piece(text, cancel, [&](std::string_view piece, bool& after_unknown) {
    encode_piece(piece, scratch, after_unknown, out);
  });
}

void UnigramEncoder::encode_piece(std::string_view piece, Scratch& scratch, bool& after_unknown,
                                  std::vector<TokenId>& out) const {
  const Vocabulary& tokens = vocabulary_.tokens();
  auto& cuts = scratch.cuts;
  cuts.assign(piece.size() + 1, {0, kNowhere, kNoToken});
  const auto offer = [&](std::size_t start, std::size_t end, TokenId token, float score) {
    const double sum = cuts[start].score + double{score};
    if (cuts[end].start != kNowhere && !(sum > cuts[end].score)) return;
    cuts[end] = {sum, static_cast<std::uint32_t>(start), token};
  };
  for (std::size_t start = 0; start < piece.size();) {
    const Utf8Unit unit = read_utf8(piece, start);
    const std::size_t character = unit.sequence == Utf8Sequence::kValid ? unit.length : 1;
    bool is_token = false;
    // Those of sorted_ that agree with the text so far.
    auto begin = sorted_.begin() + first_[byte_at(piece, start)];
    auto end = sorted_.begin() + first_[byte_at(piece, start) + 1u];
    for (std::size_t length = 1; begin != end; ++length) {
      if (tokens.bytes(*begin).size() == length) {
        offer(start, start + length, *begin, vocabulary_.score(*begin));
        is_token = is_token || length == character;
      }
      if (start + length == piece.size()) break;
      const std::uint8_t next = byte_at(piece, start + length);
      // Of those that end here there is no next byte.
      begin = std::partition_point(begin, end, [&](TokenId id) {
        return tokens.bytes(id).size() <= length || byte_at(tokens.bytes(id), length) < next;
      });
      end = std::partition_point(begin, end,
                                 [&](TokenId id) { return byte_at(tokens.bytes(id), length) == next; });
    }
    if (!is_token) offer(start, start + character, kNoToken, unknown_score_);
    start += character;
  }
  auto& path = scratch.path;
  path.clear();
  for (std::uint32_t at = static_cast<std::uint32_t>(piece.size()); at > 0; at = cuts[at].start)
    path.push_back(cuts[at]);
  std::size_t at = 0;
  for (std::size_t i = path.size(); i-- > 0;) {
    const std::size_t next = i == 0 ? piece.size() : path[i - 1].start;
    if (path[i].token == kNoToken) {
      vocabulary_.spell(piece.substr(at, next - at), after_unknown, out);
    } else {
      out.push_back(path[i].token);
      after_unknown = false;
    }
    at = next;
  }
}

}  // namespace emberline
