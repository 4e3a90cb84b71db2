#include "grammar/regular/pattern_text.h"

#include <algorithm>
#include <vector>

#include "grammar/regular/character_class.h"
#include "grammar/regular/dfa.h"
#include "grammar/regular/digits.h"

namespace emberline::grammar {
namespace {

constexpr std::uint32_t kMostCount = kNone - 1;

}  // namespace

bool PatternText::at_letter(std::size_t ahead) const {
  const char32_t c = peek(ahead);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool PatternText::eat(char32_t c) {
  if (peek() != c) return false;
  ++at_;
  return true;
}

bool PatternText::eat(std::u32string_view word) {
  if (text_.compare(at_, word.size(), word) != 0) return false;
  at_ += word.size();
  return true;
}

std::uint32_t PatternText::stop(ErrorCode code, const std::string& what, const char* why) {
  if (ok()) {
    status_ =
        Status(code, "In the pattern " + what + " at character " + std::to_string(at_ + 1) + " " + why + ".");
  }
  at_ = text_.size();
  return 0;
}

std::uint32_t PatternText::count() {
  std::uint64_t value = 0;
  while (at_digit()) {
    value = std::min<std::uint64_t>(value * 10 + (peek() - '0'), kMostCount);
    ++at_;
  }
  return static_cast<std::uint32_t>(value);
}

std::optional<CodePointSet> PatternText::named_class() {
  const char32_t c = peek();
  const auto of = [this](const CodePointSet& set, bool all_but) {
    ++at_;
    return all_but ? complement(set) : set;
  };
  switch (c) {
    case 'd':
    case 'D': return of(digits(), c == 'D');
    case 's':
    case 'S': return of(white_space(), c == 'S');
    case 'w':
    case 'W': return of(word_characters(), c == 'W');
    case 'p':
    case 'P': break;
    default: return std::nullopt;
  }
  const std::size_t begin = at_++;
  std::string name;
  if (eat('{')) {
    while (at_letter() || at_digit() || peek() == '_' || peek() == '=') {
      name.push_back(static_cast<char>(peek()));
      ++at_;
    }
    if (!eat('}')) name.clear();
  }
  if (name.empty()) {
    at_ = begin;
    fail("a property without its name in braces");
    return CodePointSet{};
  }
  auto set = unicode_property(name);
  if (!set) {
    at_ = begin;
    unsupported("the property " + name);
    return CodePointSet{};
  }
  return c == 'P' ? complement(*set) : std::move(*set);
}

char32_t PatternText::character_escape() {
  const char32_t c = peek();
  if (c == kEndOfText) return fail("a backslash with nothing behind it");
  const bool stands_for_itself = !at_letter() && !at_digit();
  const std::size_t begin = at_++;
  switch (c) {
    case 't': return '\t';
    case 'n': return '\n';
    case 'v': return '\v';
    case 'f': return '\f';
    case 'r': return '\r';
    case 'c':
      if (at_letter()) return text_[at_++] & 31;
      break;
    case 'x':
      if (const auto value = hex(2)) return *value;
      break;
    case 'u':
      if (const auto value = unicode_escape()) return *value;
      break;
    case '0':
      if (!at_digit()) return 0;
      break;
    default:
      // Annex B: what is neither a letter nor a digit stands for itself.
      if (stands_for_itself) return c;
  }
  at_ = begin;
  if (c == 'k' || (c >= '1' && c <= '9')) return unsupported("the backreference");
  return fail("the escape");
}

std::optional<char32_t> PatternText::hex(int count) {
  char32_t value = 0;
  for (int i = 0; i < count; ++i) {
    const int one = hex_value(peek(static_cast<std::size_t>(i)));
    if (one < 0) return std::nullopt;
    value = value * 16 + static_cast<char32_t>(one);
  }
  at_ += static_cast<std::size_t>(count);
  return value;
}

std::optional<char32_t> PatternText::unicode_escape() {
  if (eat('{')) {
    char32_t value = 0;
    std::size_t read = 0;
    for (; hex_value(peek()) >= 0 && value <= kLastCodePoint; ++at_, ++read) {
      value = value * 16 + static_cast<char32_t>(hex_value(peek()));
    }
    if (read == 0 || value > kLastCodePoint || !eat('}')) return std::nullopt;
    return value;
  }
  const auto first = hex(4);
  if (!first || *first < 0xD800 || *first > 0xDBFF || peek() != '\\' || peek(1) != 'u') return first;
  const std::size_t before = at_;
  at_ += 2;
  const auto second = hex(4);
  if (second && *second >= 0xDC00 && *second <= 0xDFFF) {
    return 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00);
  }
  at_ = before;
  return first;
}

PatternText::ClassAtom PatternText::class_atom() {
  ClassAtom atom;
  if (!eat('\\')) {
    atom.character = text_[at_++];
  } else if (eat('b')) {
    atom.character = '\b';
  } else if (auto set = named_class()) {
    atom.set = std::move(*set);
  } else {
    atom.character = character_escape();
  }
  return atom;
}

CodePointSet PatternText::character_class() {
  const std::size_t begin = at_++;
  const bool all_but = eat('^');
  std::vector<CodePointRange> ranges;
  const auto include = [&ranges](const ClassAtom& atom) {
    if (atom.character) ranges.push_back({*atom.character, *atom.character});
    ranges.insert(ranges.end(), atom.set.begin(), atom.set.end());
  };
  while (ok() && peek() != ']') {
    if (peek() == kEndOfText) {
      at_ = begin;
      fail("a class without its ]");
      return {};
    }
    const std::size_t first_at = at_;
    const ClassAtom first = class_atom();
    if (!ok() || peek() != '-' || peek(1) == ']' || peek(1) == kEndOfText) {
      include(first);
      continue;
    }
    ++at_;
    const ClassAtom last = class_atom();
    if (!ok()) break;
    if (first.character && last.character) {
      if (*last.character < *first.character) {
        at_ = first_at;
        fail("a range whose ends are out of order");
        return {};
      }
      ranges.push_back({*first.character, *last.character});
    } else {  // Annex B: a hyphen beside a class is one
      include(first);
      include(last);
      ranges.push_back({'-', '-'});
    }
  }
  if (!ok()) return {};
  ++at_;
  CodePointSet set = normalised(ranges);
  return all_but ? complement(set) : set;
}

}  // namespace emberline::grammar
