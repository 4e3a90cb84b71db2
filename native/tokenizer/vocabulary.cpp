#include "tokenizer/vocabulary.h"

#include <algorithm>
#include <bit>

#include "tokenizer/byte_alphabet.h"

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
  if (name.size() > 4 && name.starts_with("<[") && name.ends_with("]>")) return true;
  if (name.size() > 8 && name.starts_with(kWideOpen) && name.ends_with(kWideClose)) return true;
  constexpr std::string_view kNames[] = {
      "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>", "<repo_name>", "<reponame>",
      "<file_sep>",   "<filename>",   "▁<PRE>",       "▁<SUF>",    "▁<MID>",      "▁<EOT>",
      "<s>",          "</s>",         "[PREFIX]",     "[SUFFIX]",  "[MIDDLE]",
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

// Code Llama's marks are normal tokens in some files.
bool is_mark_of_code_llama(std::string_view name) {
  return name == "▁<PRE>" || name == "▁<SUF>" || name == "▁<MID>" || name == "▁<EOT>";
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
  std::vector<bool> reachable(count);
  const bool sentence_piece = spec.model != TokenizerModel::kByteLevel;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view token = spec.tokens[i];
    const TokenType type = spec.types.empty() ? TokenType::kNormal : spec.types[i];
    vocabulary.offsets_.push_back(static_cast<std::uint32_t>(vocabulary.arena_.size()));
    vocabulary.kinds_.push_back(sentence_piece && is_mark_of_code_llama(token) ? TokenKind::kControl
                                                                               : kind_of(type, token));
    reachable[i] = sentence_piece ? vocabulary.append_sentence_piece(token, type)
                                  : vocabulary.append_byte_level(token, type);
  }
  vocabulary.offsets_.push_back(static_cast<std::uint32_t>(vocabulary.arena_.size()));
  // What the file itself names as special is nothing for a document to spell, either.
  std::vector<TokenId> named = spec.other_ends;
  named.insert(named.end(), {spec.bos, spec.eos, spec.fim.prefix, spec.fim.suffix, spec.fim.middle});
  for (const TokenId id : named) {
    if (id < count && vocabulary.kinds_[id] == TokenKind::kUserDefined)
      vocabulary.kinds_[id] = TokenKind::kControl;
  }
  vocabulary.index_tokens(reachable);
  return vocabulary;
}

bool Vocabulary::append_byte_level(std::string_view token, TokenType type) {
  const bool normal = kinds_.back() == TokenKind::kNormal;
  if (const int byte = type == TokenType::kByte ? spelled_byte(token) : -1; byte >= 0) {
    arena_.push_back(static_cast<char>(byte));
    return true;
  }
  if (normal && append_spelled_bytes(token, arena_)) return true;
  // Command-R has a few such normal tokens: no text becomes one, whatever else has their bytes.
  arena_.append(token);
  return false;
}

bool Vocabulary::append_sentence_piece(std::string_view token, TokenType type) {
  const TokenKind kind = kinds_.back();
  if (const int byte = type == TokenType::kByte ? spelled_byte(token) : -1; byte >= 0) {
    arena_.push_back(static_cast<char>(byte));
    TokenId& fallback = byte_fallbacks_[static_cast<std::size_t>(byte)];
    if (fallback == kNoToken) fallback = static_cast<TokenId>(kinds_.size() - 1);
    return false;
  }
  if (kind != TokenKind::kNormal && kind != TokenKind::kUserDefined) {
    arena_.append(token);
    return false;
  }
  constexpr std::string_view kSpace = "\u2581";
  while (!token.empty()) {
    const std::size_t space = std::min(token.find(kSpace), token.size());
    arena_.append(token.substr(0, space));
    token.remove_prefix(space);
    if (!token.empty()) {
      arena_.push_back(' ');
      token.remove_prefix(kSpace.size());
    }
  }
  return kind == TokenKind::kNormal;
}

void Vocabulary::index_tokens(const std::vector<bool>& reachable) {
  std::vector<std::uint64_t> hashes(kinds_.size());
  for (TokenId id = 0; id < size(); ++id) hashes[id] = hash_bytes(bytes(id));
  normal_by_hash_.assign(std::bit_ceil(2 * kinds_.size()), Slot());
  constexpr TokenId kAhead = 16;
  for (TokenId id = 0; id < size(); ++id) {
    if (size() - id > kAhead) announce(hashes[id + kAhead]);
    if (!reachable[id] || bytes(id).empty()) continue;
    Slot& slot = normal_by_hash_[find_slot(bytes(id), hashes[id])];
    if (slot.id == kNoToken) slot = {tag_of(hashes[id]), id};
  }
}

std::size_t Vocabulary::find_slot(std::string_view wanted, std::uint64_t hash) const {
  for (std::size_t i = hash & slot_mask();; i = (i + 1) & slot_mask()) {
    const Slot& slot = normal_by_hash_[i];
    if (slot.id == kNoToken || (slot.tag == tag_of(hash) && bytes(slot.id) == wanted)) return i;
  }
}

TokenId Vocabulary::find_normal(std::string_view wanted, std::uint64_t hash) const {
  return normal_by_hash_[find_slot(wanted, hash)].id;
}

}  // namespace emberline
