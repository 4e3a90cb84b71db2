#include "tokenizer/pre_tokenizer.h"

#include <array>
#include <cstdint>

#include "tokenizer/unicode_class.h"
#include "tokenizer/utf8.h"

namespace emberline {
namespace {

struct Unit {
  UnicodeClass unicode_class;
  std::uint8_t length;
  char32_t code_point;  // kNotACharacter for a byte outside valid UTF-8
};
constexpr char32_t kNotACharacter = 0xFFFFFFFF;

constexpr std::array<UnicodeClass, 128> make_ascii_classes() {
  std::array<UnicodeClass, 128> classes{};
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    classes[c] = letter                 ? UnicodeClass::kLetter
                 : c >= '0' && c <= '9' ? UnicodeClass::kNumber
                 : space                ? UnicodeClass::kSpace
                                        : UnicodeClass::kOther;
  }
  return classes;
}
constexpr auto kAsciiClasses = make_ascii_classes();

inline Unit unit_at(std::string_view text, std::size_t position) {
  const auto byte = static_cast<unsigned char>(text[position]);
  if (byte < 0x80) return {kAsciiClasses[byte], 1, byte};
  const Utf8Unit unit = read_utf8(text, position);
  if (unit.sequence != Utf8Sequence::kValid) return {UnicodeClass::kOther, 1, kNotACharacter};
  return {unicode_class(unit.code_point), unit.length, unit.code_point};
}

inline bool is_line_end(char32_t c) {
  return c == '\r' || c == '\n';
}

// The end of the run of `wanted` characters that starts at `position`.
inline std::size_t skip_class(std::string_view text, std::size_t position, UnicodeClass wanted) {
  while (position < text.size()) {
    const Unit unit = unit_at(text, position);
    if (unit.unicode_class != wanted) break;
    position += unit.length;
  }
  return position;
}

// The length of an English contraction at `position`, which holds an apostrophe; 0 if there is none.
//   's|'t|'re|'ve|'m|'ll|'d          or, with ignore_case,   (?i:'s|'t|'re|'ve|'m|'ll|'d)
// Under Unicode's simple case folding, U+017F (long s) is an s; no other character folds to one of these
// letters.
std::size_t contraction_length(std::string_view text, std::size_t position, bool ignore_case) {
  const auto letter = [&](std::size_t i) -> char {
    if (position + i >= text.size()) return '\0';
    const char c = text[position + i];
    return ignore_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  constexpr std::string_view kLongS = "\xC5\xBF";
  if (ignore_case && text.substr(position + 1, kLongS.size()) == kLongS) return 1 + kLongS.size();
  switch (letter(1)) {
    case 's':
    case 't':
    case 'm':
    case 'd': return 2;
    case 'r':
    case 'v': return letter(2) == 'e' ? 3 : 0;
    case 'l': return letter(2) == 'l' ? 3 : 0;
    default: return 0;
  }
}

// Where a run of white space that starts at `position` is cut:   \s+(?!\S)|\s+
// All of it at the end of the text; otherwise all but the last character, which may belong to what follows.
std::size_t white_space_end(std::string_view text, std::size_t position) {
  std::size_t last = position;
  std::size_t end = position;
  while (end < text.size()) {
    const Unit unit = unit_at(text, end);
    if (unit.unicode_class != UnicodeClass::kSpace) break;
    last = end;
    end += unit.length;
  }
  return end == text.size() || last == position ? end : last;
}

// The end of the piece at `position`:
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t gpt2_piece_end(std::string_view text, std::size_t position) {
  if (text[position] == '\'') {
    if (const std::size_t length = contraction_length(text, position, false)) return position + length;
  }
  std::size_t body = position;
  if (text[position] == ' ' && position + 1 < text.size()) ++body;
  const UnicodeClass kind = unit_at(text, body).unicode_class;
  if (kind != UnicodeClass::kSpace) return skip_class(text, body, kind);
  return white_space_end(text, position);
}

// The end of the piece at `position`, with n = digits_per_piece:
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,n}
// or, where none of these matches,
//    ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
std::size_t llama3_piece_end(std::string_view text, std::size_t position, unsigned digits_per_piece) {
  if (text[position] == '\'') {
    if (const std::size_t length = contraction_length(text, position, true)) return position + length;
  }
  const Unit first = unit_at(text, position);
  const std::size_t after_first = position + first.length;
  if (first.unicode_class == UnicodeClass::kLetter) {
    return skip_class(text, after_first, UnicodeClass::kLetter);
  }
  if (first.unicode_class == UnicodeClass::kNumber) {
    std::size_t end = after_first;
    for (unsigned digits = 1; digits < digits_per_piece && end < text.size(); ++digits) {
      const Unit unit = unit_at(text, end);
      if (unit.unicode_class != UnicodeClass::kNumber) break;
      end += unit.length;
    }
    return end;
  }
  if (!is_line_end(first.code_point)) {
    const std::size_t letters_end = skip_class(text, after_first, UnicodeClass::kLetter);
    if (letters_end > after_first) return letters_end;
  }

  const std::size_t body = first.code_point == ' ' ? after_first : position;
  std::size_t end = skip_class(text, body, UnicodeClass::kOther);
  if (end > body) {
    while (end < text.size() && is_line_end(static_cast<unsigned char>(text[end]))) ++end;
    return end;
  }

  // Only white space is left. \s*[\r\n]+ ends after the run's last line end.
  const std::size_t run_end = skip_class(text, position, UnicodeClass::kSpace);
  const std::size_t line_end = text.substr(position, run_end - position).find_last_of("\r\n");
  if (line_end != std::string_view::npos) return position + line_end + 1;
  return white_space_end(text, position);
}

struct NamedPreTokenizer {
  std::string_view name;
  PreTokenizer pre_tokenizer;
};

constexpr PreTokenizer kGpt2 = {SplitPattern::kGpt2, false, 0, false, false};
constexpr PreTokenizer kStarCoder = {SplitPattern::kGpt2, true, 0, false, false};
constexpr PreTokenizer kLlama3 = {SplitPattern::kLlama3, false, 3, true, true};
constexpr PreTokenizer kQwen2 = {SplitPattern::kLlama3, false, 1, false, false};

// `default` and an absent name come from files older than the key, whose models split like GPT-2.
constexpr NamedPreTokenizer kPreTokenizers[] = {
    {"smollm", kStarCoder}, {"starcoder", kStarCoder}, {"starcoder2", kStarCoder},
    {"refact", kStarCoder}, {"command-r", kStarCoder}, {"codeshell", kStarCoder},
    {"llama-bpe", kLlama3}, {"llama3", kLlama3},       {"llama-v3", kLlama3},
    {"falcon3", kLlama3},   {"qwen2", kQwen2},         {"deepseek-r1-qwen", kQwen2},
    {"stablelm2", kQwen2},  {"gpt-2", kGpt2},          {"phi-2", kGpt2},
    {"mpt", kGpt2},         {"olmo", kGpt2},           {"default", kGpt2},
};

}  // namespace

std::optional<PreTokenizer> find_pre_tokenizer(std::string_view name) {
  for (const NamedPreTokenizer& known : kPreTokenizers) {
    if (known.name == name) return known.pre_tokenizer;
  }
  return std::nullopt;
}

std::string_view PieceSplitter::next() {
  if (position_ == text_.size()) return {};
  std::string_view section = text_;
  if (pre_.isolates_numbers) {
    if (position_ >= section_end_) {
      const Unit unit = unit_at(text_, position_);
      if (unit.unicode_class == UnicodeClass::kNumber) {
        const std::string_view piece = text_.substr(position_, unit.length);
        position_ += unit.length;
        return piece;
      }
      section_end_ = position_ + unit.length;
      while (section_end_ < text_.size()) {
        const Unit next_unit = unit_at(text_, section_end_);
        if (next_unit.unicode_class == UnicodeClass::kNumber) break;
        section_end_ += next_unit.length;
      }
    }
    section = text_.substr(0, section_end_);
  }
  const std::size_t end = pre_.pattern == SplitPattern::kGpt2
                              ? gpt2_piece_end(section, position_)
                              : llama3_piece_end(section, position_, pre_.digits_per_piece);
  const std::string_view piece = text_.substr(position_, end - position_);
  position_ = end;
  return piece;
}

}  // namespace emberline
