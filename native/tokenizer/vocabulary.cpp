#include "tokenizer/vocabulary.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "tokenizer/byte_alphabet.h"
#include "tokenizer/byte_hash.h"

namespace emberline {
namespace {

// Far above any model's; keeps ids and table sizes well inside 32 bits.
constexpr std::size_t kMaxTokens = std::size_t{1} << 24;
constexpr std::size_t kMaxArenaBytes = std::size_t{1} << 31;

Status invalid(std::string problem) {
  return {ErrorCode::kModelMetadataInvalid,
          "The model's vocabulary " + std::move(problem) + "; convert the model again or download it anew."};
}

// Files made by older converters mark fill-in-the-middle and file tokens as user-defined, which would let a
// document spell them.
bool is_named_like_control(std::string_view name) {
  constexpr std::string_view kWideOpen = "<\xEF\xBD\x9C";  // '<' and a full-width bar
  constexpr std::string_view kWideClose = "\xEF\xBD\x9C>";
  if (name.size() > 4 && name.starts_with("<|") && name.ends_with("|>")) return true;
  if (name.size() > 8 && name.starts_with(kWideOpen) && name.ends_with(kWideClose)) return true;
  constexpr std::string_view kNames[] = {
      "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>",
      "<repo_name>",  "<reponame>",   "<file_sep>",   "<filename>",
  };
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

TokenKind kind_of(TokenType type, std::string_view name) {
  switch (type) {
    case TokenType::kNormal:
    case TokenType::kByte: return TokenKind::kNormal;
    case TokenType::kUnknown:
    case TokenType::kControl: return TokenKind::kControl;
    case TokenType::kUserDefined:
      return is_named_like_control(name) ? TokenKind::kControl : TokenKind::kUserDefined;
    case TokenType::kUnused: break;
  }
  return TokenKind::kUnused;
}

// <0xAB> of a token of type byte: the byte, or -1.
int spelled_byte(std::string_view name) {
  if (name.size() != 6 || !name.starts_with("<0x") || name[5] != '>') return -1;
  int value = 0;
  for (const char c : name.substr(3, 2)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// The first 8 bytes as one number that orders as they do; shorter strings are filled with zeros.
std::uint64_t leading_bytes(std::string_view bytes) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    key = key << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u);
  }
  return key;
}

}  // namespace

Result<Vocabulary> Vocabulary::make(const VocabularySpec& spec) {
  const std::size_t count = spec.tokens.size();
  if (count == 0) return invalid("is empty");
  if (count > kMaxTokens) return invalid("has more tokens than the engine takes");
  if (!spec.types.empty() && spec.types.size() != count) return invalid("does not have one type a token");
  std::size_t spelled_bytes = 0;
  for (const std::string_view token : spec.tokens) {
    spelled_bytes += token.size();
    if (token.size() > kMaxArenaBytes || spelled_bytes > kMaxArenaBytes)
      return invalid("is larger than the engine takes");
  }

  Vocabulary vocabulary;
  vocabulary.arena_.reserve(spelled_bytes);
  vocabulary.offsets_.reserve(count + 1);
  vocabulary.kinds_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view token = spec.tokens[i];
    const TokenType type = spec.types.empty() ? TokenType::kNormal : spec.types[i];
    vocabulary.offsets_.push_back(static_cast<std::uint32_t>(vocabulary.arena_.size()));
    vocabulary.kinds_.push_back(kind_of(type, token));
    const int byte = type == TokenType::kByte ? spelled_byte(token) : -1;
    if (byte >= 0) {
      vocabulary.arena_.push_back(static_cast<char>(byte));
    } else if (vocabulary.kinds_.back() != TokenKind::kNormal ||
               !append_spelled_bytes(token, vocabulary.arena_)) {
      vocabulary.arena_.append(token);
    }
  }
  vocabulary.offsets_.push_back(static_cast<std::uint32_t>(vocabulary.arena_.size()));
  // What the file itself names as special is nothing for a document to spell, either.
  std::vector<TokenId> named = spec.other_ends;
  named.insert(named.end(), {spec.bos, spec.eos});
  for (const TokenId id : named) {
    if (id < count && vocabulary.kinds_[id] == TokenKind::kUserDefined)
      vocabulary.kinds_[id] = TokenKind::kControl;
  }
  vocabulary.index_normal_tokens();
  vocabulary.sort_by_bytes();
  return vocabulary;
}

void Vocabulary::index_normal_tokens() {
  normal_by_hash_.assign(std::bit_ceil(2 * kinds_.size()), kNoToken);
  const std::size_t mask = normal_by_hash_.size() - 1;
  for (TokenId id = 0; id < size(); ++id) {
    const std::string_view token = bytes(id);
    if (kinds_[id] != TokenKind::kNormal || token.empty()) continue;
    std::size_t slot = hash_bytes(token) & mask;
    while (normal_by_hash_[slot] != kNoToken && bytes(normal_by_hash_[slot]) != token)
      slot = (slot + 1) & mask;
    if (normal_by_hash_[slot] == kNoToken) normal_by_hash_[slot] = id;
  }
}

TokenId Vocabulary::find_normal(std::string_view wanted) const {
  const std::size_t mask = normal_by_hash_.size() - 1;
  for (std::size_t slot = hash_bytes(wanted) & mask;; slot = (slot + 1) & mask) {
    const TokenId id = normal_by_hash_[slot];
    if (id == kNoToken || bytes(id) == wanted) return id;
  }
}

void Vocabulary::sort_by_bytes() {
  struct Entry {
    std::uint64_t leading;
    TokenId id;
  };
  std::vector<Entry> entries;
  entries.reserve(kinds_.size());
  for (TokenId id = 0; id < size(); ++id) {
    const bool text = kinds_[id] == TokenKind::kNormal || kinds_[id] == TokenKind::kUserDefined;
    if (text && !bytes(id).empty()) entries.push_back({leading_bytes(bytes(id)), id});
  }
  // By the leading bytes a byte at a time, the last first (LSD radix sort: Knuth, TAOCP 3, 5.2.5), each
  // round keeping the order of the one before; entries begin in the order of their ids.
  std::vector<Entry> sorted(entries.size());
  for (unsigned shift = 0; shift < 64; shift += 8) {
    std::size_t starts[257] = {};
    for (const Entry& entry : entries) ++starts[(entry.leading >> shift & 255) + 1];
    for (std::size_t byte = 0; byte < 256; ++byte) starts[byte + 1] += starts[byte];
    for (const Entry& entry : entries) sorted[starts[entry.leading >> shift & 255]++] = entry;
    entries.swap(sorted);
  }
  // What the leading bytes do not tell apart.
  for (auto first = entries.begin(); first != entries.end();) {
    const auto last = std::find_if(first, entries.end(),
                                   [&](const Entry& entry) { return entry.leading != first->leading; });
    std::sort(first, last, [this](const Entry& a, const Entry& b) {
      const int order = bytes(a.id).compare(bytes(b.id));
      return order != 0 ? order < 0 : a.id < b.id;
    });
    first = last;
  }
  sorted_.reserve(entries.size());
  for (const Entry& entry : entries) sorted_.push_back(entry.id);
}

std::span<const TokenId> Vocabulary::starting_with(std::string_view prefix) const {
  const auto head = [&](TokenId id) { return bytes(id).substr(0, prefix.size()); };
  const auto first = std::lower_bound(sorted_.begin(), sorted_.end(), prefix,
                                      [&](TokenId id, std::string_view wanted) { return head(id) < wanted; });
  const auto last = std::upper_bound(first, sorted_.end(), prefix,
                                     [&](std::string_view wanted, TokenId id) { return wanted < head(id); });
  return {first, last};
}

TokenId Vocabulary::find_by_bytes(std::string_view wanted) const {
  if (wanted.empty()) return kNoToken;
  const std::span<const TokenId> range = starting_with(wanted);
  // Of all strings that start with `wanted`, `wanted` itself sorts first.
  return !range.empty() && bytes(range.front()) == wanted ? range.front() : kNoToken;
}

}  // namespace emberline
