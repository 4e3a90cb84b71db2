#include "tokenizer/isolating_split.h"

#include <algorithm>
#include <iterator>

#include "tokenizer/text_unit.h"

namespace emberline {
namespace {

struct CodePointRange {
  char32_t first, last;
};

// In the tokenizer.json of DeepSeek LLM (arXiv:2401.02954), and of DeepSeek-Coder from 1.5 on.
constexpr CodePointRange kDeepSeekCased[] = {
    {0x41, 0x5A},       {0x61, 0x7A},       {0xB5, 0xB5},       {0xC0, 0xD6},       {0xD8, 0xF6},
    {0xF8, 0x1BA},      {0x1BC, 0x1BF},     {0x1C4, 0x293},     {0x295, 0x2AF},     {0x370, 0x373},
    {0x376, 0x377},     {0x37B, 0x37D},     {0x37F, 0x37F},     {0x386, 0x386},     {0x388, 0x38A},
    {0x38C, 0x38C},     {0x38E, 0x3A1},     {0x3A3, 0x3F5},     {0x3F7, 0x481},     {0x48A, 0x52F},
    {0x531, 0x556},     {0x10A0, 0x10C5},   {0x13A0, 0x13F5},   {0x13F8, 0x13FD},   {0x1C90, 0x1CBA},
    {0x1CBD, 0x1CBF},   {0x1D00, 0x1D2B},   {0x1D6B, 0x1D77},   {0x1D79, 0x1D9A},   {0x1E00, 0x1F15},
    {0x1F18, 0x1F1D},   {0x1F20, 0x1F45},   {0x1F48, 0x1F4D},   {0x1F50, 0x1F57},   {0x1F59, 0x1F59},
    {0x1F5B, 0x1F5B},   {0x1F5D, 0x1F5D},   {0x1F5F, 0x1F7D},   {0x1F80, 0x1FB4},   {0x1FB6, 0x1FBC},
    {0x1FBE, 0x1FBE},   {0x1FC2, 0x1FC4},   {0x1FC6, 0x1FCC},   {0x1FD0, 0x1FD3},   {0x1FD6, 0x1FDB},
    {0x1FE0, 0x1FEC},   {0x1FF2, 0x1FF4},   {0x1FF6, 0x1FFC},   {0x2102, 0x2102},   {0x2107, 0x2107},
    {0x210A, 0x2113},   {0x2115, 0x2115},   {0x2119, 0x211D},   {0x2124, 0x2124},   {0x2126, 0x2126},
    {0x2128, 0x2128},   {0x212A, 0x212D},   {0x212F, 0x2134},   {0x2139, 0x2139},   {0x213C, 0x213F},
    {0x2145, 0x2149},   {0x214E, 0x214E},   {0x2183, 0x2184},   {0x2C00, 0x2C7B},   {0x2C7E, 0x2CE4},
    {0x2CEB, 0x2CEE},   {0x2CF2, 0x2CF3},   {0xA640, 0xA66D},   {0xA680, 0xA69B},   {0xA722, 0xA76F},
    {0xA771, 0xA787},   {0xA78B, 0xA78E},   {0xAB70, 0xABBF},   {0xFB00, 0xFB06},   {0xFB13, 0xFB17},
    {0xFF21, 0xFF3A},   {0xFF41, 0xFF5A},   {0x10400, 0x1044F}, {0x104B0, 0x104D3}, {0x104D8, 0x104FB},
    {0x10C80, 0x10CB2}, {0x10CC0, 0x10CF2}, {0x118A0, 0x118DF}, {0x1E900, 0x1E943},
};

// Up to `most` units for which `wanted` holds, or all up to the first of them.
template <typename Wanted>
std::size_t run_end(std::string_view text, std::size_t position, Wanted wanted,
                    std::size_t most = std::string_view::npos) {
  const TextUnit first = unit_at(text, position);
  position += first.length;
  if (!wanted(first)) return skip_units(text, position, [&](const TextUnit& unit) { return !wanted(unit); });
  return skip_units(text, position, [&](const TextUnit& unit) { return --most > 0 && wanted(unit); });
}

// The same for   \s?wanted+
template <typename Wanted>
std::size_t spaced_run_end(std::string_view text, std::size_t position, Wanted wanted) {
  // The end of the match at `at`, or `at` where nothing matches there.
  const auto match_end = [&](std::size_t at) {
    const TextUnit first = unit_at(text, at);
    const std::size_t after_first = at + first.length;
    if (wanted(first)) return skip_units(text, after_first, wanted);
    if (first.unicode_class != UnicodeClass::kSpace) return at;
    const std::size_t end = skip_units(text, after_first, wanted);
    return end > after_first ? end : at;
  };
  if (const std::size_t end = match_end(position); end > position) return end;
  do {
    position += unit_at(text, position).length;
  } while (position < text.size() && match_end(position) == position);
  return position;
}

bool is_deepseek_cased(const TextUnit& unit) {
  if (unit.code_point < 0x80) return is_letter(unit.unicode_class);
  const auto* const after =
      std::upper_bound(std::begin(kDeepSeekCased), std::end(kDeepSeekCased), unit.code_point,
                       [](char32_t c, const CodePointRange& range) { return c < range.first; });
  return after != std::begin(kDeepSeekCased) && unit.code_point <= std::prev(after)->last;
}

bool is_deepseek_character(const TextUnit& unit) {
  const char32_t c = unit.code_point;
  const auto within = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  return within('!', '/') || within(':', '~') || within(0xFF01, 0xFF0F) || within(0xFF1A, 0xFF5E) ||
         within(0x2018, 0x201F) || within(0x3000, 0x3002);
}

bool is_asian(const TextUnit& unit) {
  const char32_t c = unit.code_point;
  return (c >= 0x800 && c <= 0x9FA5) || (c >= 0xAC00 && c <= 0xD7FF);
}

bool is_han_or_kana(const TextUnit& unit) {
  const char32_t c = unit.code_point;
  return (c >= 0x4E00 && c <= 0x9FA5) || (c >= 0x3040 && c <= 0x30FF);
}

bool is_punctuation(const TextUnit& unit) {
  return unit.unicode_class == UnicodeClass::kPunctuation;
}

bool is_punctuation_or_ascii_symbol(const TextUnit& unit) {
  return is_punctuation(unit) || (unit.code_point < 0x80 && unit.unicode_class == UnicodeClass::kSymbol);
}

// Whether the character that spells `byte` in GPT-2's byte alphabet is one of \p{N}: besides the digits,
// ² ³ ¹ ¼ ½ ¾ stand for the bytes of their code points.
bool is_spelled_as_number(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= '0' && byte <= '9') || byte == 0xB2 || byte == 0xB3 || byte == 0xB9 ||
         (byte >= 0xBC && byte <= 0xBE);
}

std::size_t spelled_numbers_end(std::string_view text, std::size_t position) {
  const bool number = is_spelled_as_number(text[position]);
  std::size_t end = position + 1;
  while (end < text.size() && is_spelled_as_number(text[end]) == number) ++end;
  return end;
}

// By bytes, since it follows what may have cut a character in two.
std::size_t three_digits_end(std::string_view text, std::size_t position) {
  const auto three_at = [&](std::size_t at) {
    const std::string_view three = text.substr(at, 3);
    return three.size() == 3 &&
           std::all_of(three.begin(), three.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (three_at(position)) return position + 3;
  do {
    ++position;
  } while (position < text.size() && !three_at(position));
  return position;
}

// The white space that the text ends with is one piece, all before it another.
std::size_t trailing_space_end(std::string_view text, std::size_t position) {
  std::size_t text_end = position;  // after the last character that is no white space
  for (std::size_t at = position; at < text.size();) {
    const TextUnit unit = unit_at(text, at);
    at += unit.length;
    if (unit.unicode_class != UnicodeClass::kSpace) text_end = at;
  }
  return text_end == position ? text.size() : text_end;
}

}  // namespace

std::size_t isolated_piece_end(Isolated isolated, std::string_view text, std::size_t position) {
  const auto is_number = [](const TextUnit& unit) { return unit.unicode_class == UnicodeClass::kNumber; };
  switch (isolated) {
    case Isolated::kNumber: return run_end(text, position, is_number, 1);
    case Isolated::kThreeNumbers: return run_end(text, position, is_number, 3);
    case Isolated::kLineEnd:
      return run_end(text, position, [](const TextUnit& unit) { return is_line_end(unit.code_point); }, 1);
    case Isolated::kLetters:
      return spaced_run_end(text, position,
                            [](const TextUnit& unit) { return is_letter(unit.unicode_class); });
    case Isolated::kPunctuation: return spaced_run_end(text, position, is_punctuation);
    case Isolated::kPunctuationAlone: return run_end(text, position, is_punctuation_or_ascii_symbol);
    case Isolated::kDeepSeekLetters: return spaced_run_end(text, position, is_deepseek_cased);
    case Isolated::kDeepSeekCharacters: return spaced_run_end(text, position, is_deepseek_character);
    case Isolated::kTrailingSpace: return trailing_space_end(text, position);
    case Isolated::kAsian: return run_end(text, position, is_asian);
    case Isolated::kHanOrKana: return run_end(text, position, is_han_or_kana);
    case Isolated::kSpelledNumbers: return spelled_numbers_end(text, position);
    case Isolated::kThreeDigits: return three_digits_end(text, position);
  }
  return text.size();
}

}  // namespace emberline
