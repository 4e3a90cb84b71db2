#include "engine/reference_texts.h"

#include <algorithm>
#include <utility>

#include "base/cancel.h"

namespace emberline {

namespace {

// Of a text no more is tokenized than this for each token there is room for: code has about four bytes a
// token.
constexpr std::size_t kBytesPerToken = 8;
constexpr std::size_t kRoomStep = 1024;  // tokens

// Null where `cancel` is seen.
ReferenceText read_text(const std::string& text, const Tokenizer& tokenizer, std::size_t room,
                        const std::atomic<bool>* cancel) {
  std::string part = text.substr(0, room * kBytesPerToken);
  const std::size_t line = part.rfind('\n');
  if (part.size() < text.size() && line != std::string::npos) part.resize(line + 1);
  std::vector<TokenId> tokens = tokenizer.encode(part, false, cancel);
  if (is_cancelled(cancel)) return nullptr;
  tokens.resize(std::min(tokens.size(), room));
  auto automaton = std::make_shared<SuffixAutomaton>();
  automaton->reserve(tokens.size());
  for (const TokenId token : tokens) {
    if (is_cancelled(cancel)) return nullptr;
    automaton->extend(token);
  }
  automaton->count_occurrences();
  return automaton;
}

}  // namespace

std::vector<ReferenceText> ReferenceTexts::read(std::span<const std::string> texts, std::size_t count,
                                                const Tokenizer& tokenizer, std::size_t most,
                                                const std::atomic<bool>* cancel) {
  std::vector<Text> before = std::exchange(texts_, {});
  std::vector<ReferenceText> all;
  std::size_t left = most;
  for (const std::string& text : texts.first(std::min(count, texts.size()))) {
    // In steps: a text that is cut stays as it was read while those before it grow a little.
    const std::size_t room = all.empty() || left < kRoomStep ? left : left / kRoomStep * kRoomStep;
    if (room == 0 || is_cancelled(cancel)) break;
    const auto known = std::find_if(before.begin(), before.end(), [&](const Text& candidate) {
      return candidate.read != nullptr && candidate.text == text &&
             (candidate.room == room || candidate.read->sequence().size() < std::min(room, candidate.room));
    });
    Text read = known == before.end() ? Text{text, room, read_text(text, tokenizer, room, cancel)}
                                      : std::exchange(*known, {});
    if (read.read == nullptr) break;
    texts_.push_back(std::move(read));
    all.push_back(texts_.back().read);
    left -= std::min(left, all.back()->sequence().size());
  }
  if (left == 0) return all;
  const std::span<const std::string> behind = texts.subspan(all.size());
  for (Text& text : before) {
    const bool wanted = text.read != nullptr && std::ranges::find(behind, text.text) != behind.end();
    if (wanted) texts_.push_back(std::move(text));
  }
  return all;
}

}  // namespace emberline
