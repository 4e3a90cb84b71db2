#include "grammar/automaton/token_trie.h"

#include <algorithm>
#include <new>
#include <utility>

namespace emberline::grammar {

namespace {

constexpr std::size_t kLongestToken = 0xFFFF;  // deeper nodes have no number; no vocabulary comes near

// Characters of a plain token; nullopt for any other. Well-formed UTF-8: RFC 3629, section 4.
std::optional<std::uint32_t> plain_characters(std::string_view bytes) {
  std::uint32_t characters = 0;
  for (std::size_t at = 0; at < bytes.size(); ++characters) {
    const auto lead = static_cast<unsigned char>(bytes[at++]);
    if (lead < 0x20 || lead == '"' || lead == '\\') return std::nullopt;
    if (lead < 0x80) continue;
    if (lead < 0xC2 || lead > 0xF4) return std::nullopt;
    const std::size_t more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    if (bytes.size() - at < more) return std::nullopt;
    for (std::size_t i = 0; i < more; ++i, ++at) {
      const auto byte = static_cast<unsigned char>(bytes[at]);
      const unsigned char least = i > 0 ? 0x80 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
      const unsigned char most = i > 0 ? 0xBF : lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
      if (byte < least || byte > most) return std::nullopt;
    }
  }
  return characters;
}

}  // namespace

void ByteTrie::add(std::string_view bytes, TokenId id) {
  const auto shared = static_cast<std::size_t>(
      std::mismatch(last_.begin(), last_.end(), bytes.begin(), bytes.end()).first - last_.begin());
  for (; path_.size() > shared; path_.pop_back())
    nodes_[path_.back()].end = static_cast<std::uint32_t>(nodes_.size());
  for (std::size_t at = shared; at < bytes.size(); ++at) {
    path_.push_back(static_cast<std::uint32_t>(nodes_.size()));
    nodes_.push_back({0, static_cast<std::uint32_t>(tokens_.size()), static_cast<std::uint16_t>(at + 1),
                      static_cast<unsigned char>(bytes[at])});
  }
  tokens_.push_back(id);
  last_ = bytes;
}

void ByteTrie::finish() {
  const auto size = static_cast<std::uint32_t>(nodes_.size());
  for (const std::uint32_t node : path_) nodes_[node].end = size;
  nodes_.push_back({size + 1, static_cast<std::uint32_t>(tokens_.size()), 0, 0});
  path_ = {};
  last_ = {};
}

Result<std::shared_ptr<const TokenTrie>> TokenTrie::build(const Tokenizer& tokenizer,
                                                          std::uint32_t vocabulary) {
  try {
    std::shared_ptr<TokenTrie> trie(new TokenTrie());
    trie->vocabulary_ = vocabulary;
    std::vector<bool> spelled(vocabulary, false);
    std::vector<std::pair<std::uint32_t, TokenId>> plain;
    for (const TokenId id : tokenizer.sorted_by_bytes()) {
      const std::string_view bytes = tokenizer.bytes(id);
      if (id >= vocabulary || bytes.empty() || bytes.size() > kLongestToken || tokenizer.ends_generation(id))
        continue;
      spelled[id] = true;
      trie->longest_ = std::max(trie->longest_, static_cast<std::uint32_t>(bytes.size()));
      trie->all_.add(bytes, id);
      if (const std::optional<std::uint32_t> characters = plain_characters(bytes)) {
        plain.emplace_back(*characters, id);
      } else {
        trie->not_plain_.add(bytes, id);
        // What is new there is the end of the path.
        for (std::size_t new_nodes = trie->not_plain_.nodes().size() - trie->in_all_.size(); new_nodes > 0;
             --new_nodes)
          trie->in_all_.push_back(trie->all_.path()[bytes.size() - new_nodes]);
      }
    }
    trie->all_.finish();
    trie->not_plain_.finish();
    trie->sort_plain(plain);

    trie->offsets_.reserve(std::size_t{vocabulary} + 1);
    trie->offsets_.push_back(0);
    for (TokenId id = 0; id < vocabulary; ++id) {
      if (spelled[id]) trie->arena_ += tokenizer.bytes(id);
      trie->offsets_.push_back(static_cast<std::uint32_t>(trie->arena_.size()));
    }
    trie->add_specials(tokenizer);
    return std::shared_ptr<const TokenTrie>(std::move(trie));
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kOutOfMemory,
                  "There is not enough memory for the vocabulary; close other programs.");
  }
}

void TokenTrie::add_specials(const Tokenizer& tokenizer) {
  ends_.assign(vocabulary_, false);
  for (TokenId id = 0; id < std::min(vocabulary_, tokenizer.vocabulary_size()); ++id) {
    ends_[id] = tokenizer.ends_generation(id);
    if (tokenizer.kind(id) == TokenKind::kControl || tokenizer.kind(id) == TokenKind::kUserDefined)
      specials_.emplace(std::string(tokenizer.bytes(id)), id);
  }
}

void TokenTrie::sort_plain(const std::vector<std::pair<std::uint32_t, TokenId>>& plain) {
  plain_sets_.assign(std::size_t{kMostCharacters + 1} * words(), 0);
  for (const auto& [characters, id] : plain) {
    if (characters > kMostCharacters) {
      long_plain_.emplace_back(characters, id);
    } else {
      plain_sets_[std::size_t{characters} * words() + (id >> 6)] |= std::uint64_t{1} << (id & 63);
    }
  }
  for (std::size_t at = words(); at < plain_sets_.size(); ++at) plain_sets_[at] |= plain_sets_[at - words()];
  std::sort(long_plain_.begin(), long_plain_.end());
}

void TokenTrie::add_plain(std::uint32_t characters, std::span<std::uint64_t> mask) const {
  const std::uint64_t* set = &plain_sets_[std::size_t{std::min(characters, kMostCharacters)} * words()];
  for (std::size_t word = 0; word < mask.size(); ++word) mask[word] |= set[word];
  for (const auto& [count, id] : long_plain_) {
    if (count > characters) break;
    mask[id >> 6] |= std::uint64_t{1} << (id & 63);
  }
}

bool TokenTrie::has_longer(std::string_view text) const {
  const std::span<const ByteTrie::Node> nodes = all_.nodes();
  std::uint32_t begin = 0, end = all_.size();
  for (const char c : text) {
    while (begin < end && nodes[begin].byte != static_cast<unsigned char>(c)) begin = nodes[begin].end;
    if (begin >= end) return false;
    end = nodes[begin].end;
    ++begin;
  }
  return begin < end;
}

std::string_view TokenTrie::bytes(TokenId id) const {
  if (id >= vocabulary_) return {};
  return std::string_view(arena_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
}

bool TokenTrie::ends_generation(TokenId id) const {
  return id < vocabulary_ && ends_[id];
}

std::optional<TokenId> TokenTrie::special(const std::string& name) const {
  const auto found = specials_.find(name);
  return found == specials_.end() ? std::nullopt : std::optional<TokenId>(found->second);
}

}  // namespace emberline::grammar
