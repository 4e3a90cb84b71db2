#include "grammar/automaton/token_trie.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/utf8.h"
#include "grammar/automaton/token_bits.h"

namespace emberline::grammar {

namespace {

constexpr std::size_t kLongestToken = 0xFFFF;  // deeper nodes have no number; no vocabulary comes near

// Whole characters that stand for themselves in a JSON string.
bool is_plain(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Unit unit = read_utf8(bytes, at);
    if (unit.sequence != Utf8Sequence::kValid || unit.code_point < 0x20 || unit.code_point == '"' ||
        unit.code_point == '\\')
      return false;
    at += unit.length;
  }
  return true;
}

// Of all bytes; the end may be that of the beginning of a character.
ByteKinds kinds_of(std::string_view bytes) {
  ByteKinds kinds = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Unit unit = read_utf8(bytes, at);
    if (unit.sequence == Utf8Sequence::kInvalid) return kIllFormed;
    const auto lead = static_cast<unsigned char>(bytes[at]);
    const bool whole = unit.sequence == Utf8Sequence::kValid;
    kinds |= lead < 0x80 ? kAsciiKinds[lead] : whole ? wide_kind(unit.code_point) : kWide;
    at += unit.length;
  }
  return kinds;
}

// Among the plain ones.
std::size_t set_of_kind(ByteKinds kind) {
  return static_cast<std::size_t>(std::popcount(kPlainKinds & (kind - 1)));
}

}  // namespace

void ByteTrie::add(std::string_view bytes, TokenId id) {
  const auto shared = static_cast<std::size_t>(
      std::mismatch(last_.begin(), last_.end(), bytes.begin(), bytes.end()).first - last_.begin());
  for (; path_.size() > shared; path_.pop_back())
    nodes_[path_.back()].end = static_cast<std::uint32_t>(nodes_.size());
  for (std::size_t at = shared; at < bytes.size(); ++at) {
    path_.push_back(static_cast<std::uint32_t>(nodes_.size()));
    nodes_.push_back({0, 0, static_cast<std::uint32_t>(tokens_.size()), static_cast<std::uint16_t>(at + 1), 0,
                      static_cast<unsigned char>(bytes[at])});
  }
  tokens_.push_back(id);
  last_ = bytes;
}

void ByteTrie::finish() {
  const auto size = static_cast<std::uint32_t>(nodes_.size());
  for (const std::uint32_t node : path_) nodes_[node].end = size;
  nodes_.push_back({0, size + 1, static_cast<std::uint32_t>(tokens_.size()), 0, 0, 0});
  path_ = {};
  last_ = {};
  sum_up();
}

// Those below come first.
void ByteTrie::sum_up() {
  for (std::uint32_t node = size(); node-- > 0;) {
    Node& each = nodes_[node];
    each.bytes = 0;
    for (std::uint32_t child = node + 1; child < each.end; child = nodes_[child].end)
      each.bytes = std::max(each.bytes, nodes_[child].bytes);
    ++each.bytes;
    if (each.byte < 0x80) {
      each.kinds = kAsciiKinds[each.byte] | below(node);
    } else {
      std::string character(1, static_cast<char>(each.byte));
      each.kinds = of_character(node, character);
    }
  }
}

ByteKinds ByteTrie::below(std::uint32_t node) const {
  ByteKinds kinds = 0;
  for (std::uint32_t child = node + 1; child < nodes_[node].end; child = nodes_[child].end)
    kinds |= nodes_[child].kinds;
  return kinds;
}

// Behind `node`, with which these bytes of a character beyond ASCII have come.
ByteKinds ByteTrie::of_character(std::uint32_t node, std::string& character) const {
  const Utf8Unit unit = read_utf8(character, 0);
  if (unit.sequence == Utf8Sequence::kInvalid) return kIllFormed;
  if (unit.sequence == Utf8Sequence::kValid) return wide_kind(unit.code_point) | below(node);
  ByteKinds kinds = kWide;
  for (std::uint32_t child = node + 1; child < nodes_[node].end; child = nodes_[child].end) {
    character.push_back(static_cast<char>(nodes_[child].byte));
    kinds |= of_character(child, character);
    character.pop_back();
  }
  return kinds;
}

Result<std::shared_ptr<const TokenTrie>> TokenTrie::build(const Tokenizer& tokenizer,
                                                          std::uint32_t vocabulary) {
  std::shared_ptr<TokenTrie> trie(new TokenTrie());
  trie->vocabulary_ = vocabulary;
  std::vector<bool> spelled(vocabulary, false);
  trie->plain_.assign(trie->words(), 0);
  for (const TokenId id : tokenizer.sorted_by_bytes()) {
    const std::string_view bytes = tokenizer.bytes(id);
    if (id >= vocabulary || bytes.empty() || bytes.size() > kLongestToken || tokenizer.ends_generation(id))
      continue;
    spelled[id] = true;
    trie->longest_ = std::max(trie->longest_, static_cast<std::uint32_t>(bytes.size()));
    trie->all_.add(bytes, id);
    if (is_plain(bytes)) {
      add_token(trie->plain_, id);
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

  trie->offsets_.reserve(std::size_t{vocabulary} + 1);
  trie->offsets_.push_back(0);
  for (TokenId id = 0; id < vocabulary; ++id) {
    if (spelled[id]) trie->arena_ += tokenizer.bytes(id);
    trie->offsets_.push_back(static_cast<std::uint32_t>(trie->arena_.size()));
  }
  trie->sort_by_length();
  trie->sort_by_kinds();
  trie->add_specials(tokenizer);
  return std::shared_ptr<const TokenTrie>(std::move(trie));
}

void TokenTrie::add_specials(const Tokenizer& tokenizer) {
  ends_.assign(words(), 0);
  for (TokenId id = 0; id < std::min(vocabulary_, tokenizer.vocabulary_size()); ++id) {
    if (tokenizer.ends_generation(id)) add_token(ends_, id);
    if (tokenizer.kind(id) == TokenKind::kControl || tokenizer.kind(id) == TokenKind::kUserDefined)
      specials_.emplace(std::string(tokenizer.bytes(id)), id);
  }
}

void TokenTrie::sort_by_length() {
  short_sets_.assign(std::size_t{kMostCharacters + 1} * words(), 0);
  for (const TokenId id : all_.tokens()) {
    const std::string_view text = bytes(id);
    const auto characters =
        static_cast<std::uint32_t>(std::count_if(text.begin(), text.end(), begins_code_point));
    if (characters > kMostCharacters) {
      long_.emplace_back(characters, id);
    } else {
      short_sets_[std::size_t{characters} * words() + (id >> 6)] |= std::uint64_t{1} << (id & 63);
    }
  }
  for (std::size_t at = words(); at < short_sets_.size(); ++at) short_sets_[at] |= short_sets_[at - words()];
  std::sort(long_.begin(), long_.end());
}

void TokenTrie::sort_by_kinds() {
  plain_kinds_.assign(words(), 0);
  with_kind_.assign(std::size_t{std::popcount(kPlainKinds)} * words(), 0);
  for (const TokenId id : all_.tokens()) {
    const ByteKinds kinds = kinds_of(bytes(id));
    if ((kinds & ~kPlainKinds) != 0) continue;
    const std::uint64_t bit = std::uint64_t{1} << (id & 63);
    plain_kinds_[id >> 6] |= bit;
    for (ByteKinds left = kinds; left != 0; left &= left - 1)
      with_kind_[set_of_kind(left & (~left + 1)) * words() + (id >> 6)] |= bit;
  }
}

std::vector<std::uint64_t> TokenTrie::made_of(ByteKinds kinds) const {
  std::vector<std::uint64_t> tokens = plain_kinds_;
  for (ByteKinds left = kPlainKinds & ~kinds; left != 0; left &= left - 1) {
    const std::uint64_t* set = &with_kind_[set_of_kind(left & (~left + 1)) * words()];
    for (std::size_t word = 0; word < tokens.size(); ++word) tokens[word] &= ~set[word];
  }
  return tokens;
}

void TokenTrie::add_short(std::span<const std::uint64_t> tokens, std::uint32_t characters,
                          std::span<std::uint64_t> mask) const {
  if (characters >= longest_) {
    add_tokens(mask, tokens);
    return;
  }
  const std::uint64_t* set = &short_sets_[std::size_t{std::min(characters, kMostCharacters)} * words()];
  for (std::size_t word = 0; word < mask.size(); ++word) mask[word] |= tokens[word] & set[word];
  for (const auto& [count, id] : long_) {
    if (count > characters) break;
    mask[id >> 6] |= tokens[id >> 6] & std::uint64_t{1} << (id & 63);
  }
}

std::string_view TokenTrie::bytes(TokenId id) const {
  if (id >= vocabulary_) return {};
  return std::string_view(arena_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
}

bool TokenTrie::ends_generation(TokenId id) const {
  return id < vocabulary_ && has_token(ends_, id);
}

std::optional<TokenId> TokenTrie::special(const std::string& name) const {
  const auto found = specials_.find(name);
  return found == specials_.end() ? std::nullopt : std::optional<TokenId>(found->second);
}

}  // namespace emberline::grammar
