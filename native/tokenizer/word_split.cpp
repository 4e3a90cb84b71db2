#include "tokenizer/word_split.h"

#include "tokenizer/text_unit.h"

namespace emberline {
namespace {

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
    const TextUnit unit = unit_at(text, end);
    if (unit.unicode_class != UnicodeClass::kSpace) break;
    last = end;
    end += unit.length;
  }
  return end == text.size() || last == position ? end : last;
}

// The same, but a run that holds line ends is cut after the last of them:   \s*[\r\n]+|\s+(?!\S)|\s+
std::size_t white_space_or_lines_end(std::string_view text, std::size_t position) {
  const std::size_t run_end = skip_units(
      text, position, [](const TextUnit& unit) { return unit.unicode_class == UnicodeClass::kSpace; });
  const std::size_t line_end = text.substr(position, run_end - position).find_last_of("\r\n");
  if (line_end != std::string_view::npos) return position + line_end + 1;
  return white_space_end(text, position);
}

// The end of   \p{N}{1,n}   at `position`, which holds one.
std::size_t numbers_end(std::string_view text, std::size_t position, unsigned n) {
  unsigned digits = 0;
  return skip_units(text, position, [&](const TextUnit& unit) {
    return unit.unicode_class == UnicodeClass::kNumber && digits++ < n;
  });
}

bool is_upper_of_o200k(UnicodeClass c) {
  return c == UnicodeClass::kUpperLetter || c == UnicodeClass::kOtherLetter || c == UnicodeClass::kMark;
}
bool is_lower_of_o200k(UnicodeClass c) {
  return c == UnicodeClass::kLowerLetter || c == UnicodeClass::kOtherLetter || c == UnicodeClass::kMark;
}

// The end of a word of o200k's, without its contraction; `position` where there is none.
//
// The first alternative takes the longest run of U, and gives back what W+ needs: nothing where a small
// letter follows, otherwise all behind the last character of the run that is of both. Where there is none,
// it tries without the character in front, which helps only if that is a mark, and so of both. What is left
// to the second alternative is a run of nothing but capitals.
std::size_t o200k_word_end(std::string_view text, std::size_t position, const TextUnit& first) {
  const bool in_front = !is_letter(first.unicode_class) && first.unicode_class != UnicodeClass::kNumber &&
                        !is_line_end(first.code_point);
  if (!in_front && !is_letter(first.unicode_class)) return position;
  const std::size_t begin = in_front ? position + first.length : position;
  std::size_t of_both_end = begin;
  std::size_t end = begin;
  while (end < text.size()) {
    const TextUnit unit = unit_at(text, end);
    if (unit.unicode_class == UnicodeClass::kLowerLetter) {
      return skip_units(text, end,
                        [](const TextUnit& next) { return is_lower_of_o200k(next.unicode_class); });
    }
    if (!is_upper_of_o200k(unit.unicode_class)) break;
    end += unit.length;
    if (unit.unicode_class != UnicodeClass::kUpperLetter) of_both_end = end;
  }
  if (of_both_end > begin) return of_both_end;
  if (in_front && first.unicode_class == UnicodeClass::kMark) return begin;
  return end > begin ? end : position;
}

}  // namespace

std::size_t gpt2_piece_end(std::string_view text, std::size_t position) {
  if (text[position] == '\'') {
    if (const std::size_t length = contraction_length(text, position, false)) return position + length;
  }
  std::size_t body = position;
  if (text[position] == ' ' && position + 1 < text.size()) ++body;
  const UnicodeClass first = unit_at(text, body).unicode_class;
  const auto skip = [&](auto wanted) {
    return skip_units(text, body, [&](const TextUnit& unit) { return wanted(unit.unicode_class); });
  };
  if (is_letter(first)) return skip(is_letter);
  if (first == UnicodeClass::kNumber) return skip([](UnicodeClass c) { return c == UnicodeClass::kNumber; });
  if (first == UnicodeClass::kSpace) return white_space_end(text, position);
  return skip([](UnicodeClass c) {
    return !is_letter(c) && c != UnicodeClass::kNumber && c != UnicodeClass::kSpace;
  });
}

std::size_t cl100k_piece_end(std::string_view text, std::size_t position, const Cl100kRules& rules) {
  if (text[position] == '\'') {
    if (const std::size_t length = contraction_length(text, position, true)) return position + length;
  }
  const auto of_word = [&](const TextUnit& unit) {
    return is_letter(unit.unicode_class) ||
           (rules.marks_are_letters && unit.unicode_class == UnicodeClass::kMark);
  };
  const TextUnit first = unit_at(text, position);
  const std::size_t after_first = position + first.length;
  if (of_word(first)) return skip_units(text, after_first, of_word);
  if (first.unicode_class == UnicodeClass::kNumber) {
    return numbers_end(text, position, rules.digits_per_piece);
  }
  if (!is_line_end(first.code_point)) {
    const std::size_t letters_end = skip_units(text, after_first, of_word);
    if (letters_end > after_first) return letters_end;
  }

  const std::size_t body = first.code_point == ' ' ? after_first : position;
  std::size_t end = skip_units(text, body, [&](const TextUnit& unit) {
    return !of_word(unit) && unit.unicode_class != UnicodeClass::kNumber &&
           unit.unicode_class != UnicodeClass::kSpace;
  });
  if (end > body) {
    if (rules.line_ends_apart) return end;
    while (end < text.size() && is_line_end(static_cast<unsigned char>(text[end]))) ++end;
    return end;
  }
  return white_space_or_lines_end(text, position);
}

std::size_t o200k_piece_end(std::string_view text, std::size_t position, const O200kRules& rules) {
  const TextUnit first = unit_at(text, position);
  const std::size_t word_end = o200k_word_end(text, position, first);
  if (word_end > position) {
    const bool apostrophe = rules.contractions && word_end < text.size() && text[word_end] == '\'';
    return word_end + (apostrophe ? contraction_length(text, word_end, true) : 0);
  }
  if (first.unicode_class == UnicodeClass::kNumber) {
    return numbers_end(text, position, rules.digits_per_piece);
  }
  const std::size_t body = first.code_point == ' ' ? position + 1 : position;
  std::size_t end = skip_units(text, body, [](const TextUnit& unit) {
    return !is_letter(unit.unicode_class) && unit.unicode_class != UnicodeClass::kNumber &&
           unit.unicode_class != UnicodeClass::kSpace;
  });
  if (end > body) {
    while (end < text.size() && (is_line_end(static_cast<unsigned char>(text[end])) || text[end] == '/'))
      ++end;
    return end;
  }
  return white_space_or_lines_end(text, position);
}

std::size_t deepseek3_piece_end(std::string_view text, std::size_t position) {
  const auto of_word = [](const TextUnit& unit) {
    return is_letter(unit.unicode_class) || unit.unicode_class == UnicodeClass::kMark;
  };
  const auto of_punctuation = [](const TextUnit& unit) {
    return unit.unicode_class == UnicodeClass::kPunctuation || unit.unicode_class == UnicodeClass::kSymbol;
  };
  const TextUnit first = unit_at(text, position);
  const std::size_t after_first = position + first.length;
  if (of_word(first)) return skip_units(text, after_first, of_word);
  if (of_punctuation(first) && first.code_point < 0x80) {
    const std::size_t letters_end = skip_units(text, after_first, [](const TextUnit& unit) {
      return unit.code_point < 0x80 && is_letter(unit.unicode_class);
    });
    if (letters_end > after_first) return letters_end;
  }
  if (!of_punctuation(first) && !is_line_end(first.code_point)) {
    const std::size_t letters_end = skip_units(text, after_first, of_word);
    if (letters_end > after_first) return letters_end;
  }
  const std::size_t body = first.code_point == ' ' ? after_first : position;
  std::size_t end = skip_units(text, body, of_punctuation);
  if (end > body) {
    while (end < text.size() && is_line_end(static_cast<unsigned char>(text[end]))) ++end;
    return end;
  }
  if (first.unicode_class == UnicodeClass::kSpace) return white_space_or_lines_end(text, position);

  // Left out: what is of no class, up to the last such character, which a word may take in front of it.
  end = after_first;
  while (end < text.size()) {
    const TextUnit unit = unit_at(text, end);
    if (unit.unicode_class != UnicodeClass::kOther && unit.unicode_class != UnicodeClass::kNumber) break;
    const std::size_t after = end + unit.length;
    if (after < text.size() && of_word(unit_at(text, after))) break;
    end = after;
  }
  return end;
}

}  // namespace emberline
