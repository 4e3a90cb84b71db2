#include "tokenizer/special_tokens.h"

#include <algorithm>

namespace emberline {

void SpecialTokenFinder::add(std::string_view name, TokenId id) {
  if (name.empty()) return;
  names_.push_back({std::string(name), id});
  first_bytes_.set(static_cast<unsigned char>(name.front()));
}

void SpecialTokenFinder::seal() {
  std::sort(names_.begin(), names_.end(), [](const Named& a, const Named& b) {
    const int order = a.name.compare(b.name);
    return order != 0 ? order < 0 : a.id < b.id;
  });
  const auto same = [](const Named& a, const Named& b) { return a.name == b.name; };
  names_.erase(std::unique(names_.begin(), names_.end(), same), names_.end());
}

const SpecialTokenFinder::Named* SpecialTokenFinder::match(std::string_view text) const {
  // Narrows the names to those that agree with the text in one more byte, as a trie would.
  auto first = names_.begin();
  auto last = names_.end();
  const Named* longest = nullptr;
  for (std::size_t depth = 0; depth < text.size(); ++depth) {
    const auto wanted = static_cast<unsigned char>(text[depth]);
    const auto byte = [depth](const Named& named) { return static_cast<unsigned char>(named.name[depth]); };
    first = std::lower_bound(first, last, wanted,
                             [&](const Named& named, unsigned char b) { return byte(named) < b; });
    last = std::upper_bound(first, last, wanted,
                            [&](unsigned char b, const Named& named) { return b < byte(named); });
    if (first == last) break;
    // A name that ends here sorts before those that go on.
    if (first->name.size() == depth + 1) longest = &*first++;
  }
  return longest;
}

SpecialTokenMatch SpecialTokenFinder::find(std::string_view text, std::size_t from) const {
  if (names_.empty()) return {text.size(), 0, kNoToken};
  for (std::size_t position = from; position < text.size(); ++position) {
    if (!first_bytes_[static_cast<unsigned char>(text[position])]) continue;
    if (const Named* named = match(text.substr(position))) return {position, named->name.size(), named->id};
  }
  return {text.size(), 0, kNoToken};
}

}  // namespace emberline
