#include "engine/reference_texts.h"

#include <algorithm>
#include <utility>

namespace emberline {

namespace {

// Of a text no more is tokenized than this for each token there is room for: code has about four bytes a
// token.
constexpr std::size_t kBytesPerToken = 8;

ReferenceText read_text(const std::string& text, const Tokenizer& tokenizer, std::size_t room) {
  std::string part = text.substr(0, room * kBytesPerToken);
  const std::size_t line = part.rfind('\n');
  if (part.size() < text.size() && line != std::string::npos) part.resize(line + 1);
  std::vector<TokenId> tokens = tokenizer.encode(part, false);
  tokens.resize(std::min(tokens.size(), room));
  auto automaton = std::make_shared<SuffixAutomaton>();
  automaton->reserve(tokens.size());
  for (const TokenId token : tokens) automaton->extend(token);
  automaton->count_occurrences();
  return automaton;
}

}  // namespace

std::vector<ReferenceText> ReferenceTexts::read(std::span<const std::string> texts,
                                                const Tokenizer& tokenizer, std::size_t most,
                                                const std::atomic<bool>* cancel) {
  std::vector<Text> before = std::exchange(texts_, {});
  std::vector<ReferenceText> all;
  std::size_t room = most;
  for (const std::string& text : texts) {
    if (room == 0 || (cancel != nullptr && cancel->load(std::memory_order_relaxed))) break;
    const auto known = std::find_if(before.begin(), before.end(), [&](const Text& candidate) {
      return candidate.read != nullptr && candidate.text == text &&
             (candidate.room == room || candidate.read->sequence().size() < std::min(room, candidate.room));
    });
    texts_.push_back(known == before.end() ? Text{text, room, read_text(text, tokenizer, room)}
                                           : std::exchange(*known, {}));
    all.push_back(texts_.back().read);
    room -= std::min(room, all.back()->sequence().size());
  }
  return all;
}

}  // namespace emberline
