#include "tokenizer/scored_vocabulary.h"

#include <algorithm>
#include <cmath>

namespace emberline {
namespace {

// Positions are 32-bit, and what encoders keep of a piece takes 12 times its size.
constexpr std::size_t kMaxPiece = std::size_t{1} << 26;

// Where the next word begins: a space behind something else.
std::size_t word_end(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == ' ' && text[i - 1] != ' ') return i;
  }
  return text.size();
}

}  // namespace

Result<ScoredVocabulary> ScoredVocabulary::make(const Vocabulary& vocabulary,
                                                const std::vector<float>& scores, TokenId unknown) {
  const bool numbers =
      std::none_of(scores.begin(), scores.end(), [](float score) { return std::isnan(score); });
  if (scores.size() != vocabulary.size() || !numbers) {
    return Status{ErrorCode::kModelMetadataInvalid,
                  "The model's vocabulary does not have one score a token; convert the model again or "
                  "download it anew."};
  }
  ScoredVocabulary scored(vocabulary);
  scored.scores_ = scores;
  scored.unknown_ = unknown;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const std::string_view bytes = vocabulary.bytes(id);
    if (vocabulary.kind(id) != TokenKind::kNormal) continue;
    scored.longest_token_ = std::max(scored.longest_token_, static_cast<std::uint32_t>(bytes.size()));
    if (word_end(bytes) < bytes.size()) scored.tokens_reach_over_words_ = true;
  }
  return scored;
}

std::string_view ScoredVocabulary::next_piece(std::string_view text) const {
  const std::string_view most = text.substr(0, kMaxPiece);
  return tokens_reach_over_words_ ? most : most.substr(0, word_end(most));
}

void ScoredVocabulary::spell(std::string_view character, bool& after_unknown,
                             std::vector<TokenId>& out) const {
  const auto has_token = [&](char c) { return tokens_->byte_fallback(c) != kNoToken; };
  if (std::all_of(character.begin(), character.end(), has_token)) {
    for (const char c : character) out.push_back(tokens_->byte_fallback(c));
    after_unknown = false;
  } else if (unknown_ != kNoToken) {
    if (!after_unknown) out.push_back(unknown_);
    after_unknown = true;
  }
}

}  // namespace emberline
