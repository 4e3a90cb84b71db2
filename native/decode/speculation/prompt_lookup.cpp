#include "decode/speculation/prompt_lookup.h"

#include <new>
#include <utility>

namespace emberline {

void PromptLookup::begin(std::vector<ReferenceText> references) {
  own_.clear();
  match_length_ = 0;
  references_.clear();
  for (ReferenceText& text : references) {
    const SuffixAutomaton::Cursor start(*text);
    references_.push_back({std::move(text), start});
  }
}

void PromptLookup::follow(std::span<const TokenId> sequence) {
  for (std::size_t at = own_.sequence().size(); at < sequence.size(); ++at) {
    own_.extend(sequence[at]);
    for (Reference& reference : references_) reference.cursor.advance(sequence[at]);
  }
}

Status PromptLookup::propose(std::span<const TokenId> sequence, std::uint32_t most, const SamplingParams&,
                             const std::atomic<bool>*, DraftTokens& out) {
  out.clear();
  follow(sequence);
  // The longest match; of equal ones the text's own, then the nearest.
  const SuffixAutomaton* source = &own_;
  SuffixAutomaton::Match match = own_.repeated_suffix();
  for (const Reference& reference : references_) {
    const SuffixAutomaton::Match other = reference.cursor.match();
    if (other.length <= match.length) continue;
    source = reference.text.get();
    match = other;
  }
  if (match.length > 0) {
    const std::span<const TokenId> known = source->sequence();
    for (std::size_t at = match.end; out.tokens.size() < most; ++at) {
      if (at < known.size()) {
        out.tokens.push_back(known[at]);
      } else if (source == &own_) {
        out.tokens.push_back(out.tokens[at - known.size()]);
      } else {
        break;
      }
    }
  }
  match_length_ = out.tokens.empty() ? 0 : match.length;
  return {};
}

}  // namespace emberline
