#include "grammar/gbnf/text.h"

#include <algorithm>

#include "base/utf8.h"
#include "grammar/regular/code_points.h"
#include "grammar/regular/digits.h"
#include "grammar/regular/text_place.h"

namespace emberline::grammar::gbnf {

namespace {

constexpr char32_t kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;
// More repetitions than any text has bytes.
constexpr std::uint64_t kMostRepetitions = 1'000'000'000;

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '_';
}

}  // namespace

bool is_surrogate(char32_t point) {
  return point >= kFirstSurrogate && point <= kLastSurrogate;
}

bool Text::take(char c) {
  if (at_end() || peek() != c) return false;
  ++at_;
  return true;
}

bool Text::take(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  return true;
}

void Text::fail(std::size_t at, const std::string& what) {
  if (!ok()) return;
  error_ = Status(ErrorCode::kGrammarInvalid, "The grammar is wrong at " +
                                                  place_in(text_, std::min(at, text_.size())) + ": " + what +
                                                  "; correct it there.");
}

void Text::skip_space(bool breaks) {
  for (;;) {
    if (at_end()) return;
    if (peek() == '#') {
      while (!at_end() && !at_break()) ++at_;
    } else if (peek() == ' ' || peek() == '\t' || (breaks && at_break())) {
      ++at_;
    } else {
      return;
    }
  }
}

std::string_view Text::name() {
  const std::size_t begin = at_;
  while (!at_end() && is_name(peek())) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::optional<std::uint32_t> Text::number() {
  const std::size_t begin = at_;
  std::uint64_t value = 0;
  while (!at_end() && is_digit(peek()) && value <= kMostRepetitions)
    value = 10 * value + static_cast<std::uint64_t>(text_[at_++] - '0');
  if (value > kMostRepetitions) fail(begin, "a number is at most " + std::to_string(kMostRepetitions));
  if (at_ == begin) return {};
  return static_cast<std::uint32_t>(value);
}

char32_t Text::character() {
  const std::size_t begin = at_;
  if (!take('\\')) return utf8_character();
  const char kind = peek();
  ++at_;
  switch (kind) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case '\\':
    case '"':
    case '[':
    case ']':
    case '-': return static_cast<char32_t>(kind);
    case 'x': return escaped(begin, 2);
    case 'u': return escaped(begin, 4);
    case 'U': return escaped(begin, 8);
    default:
      fail(begin, "there is no such escape; there are \\n \\r \\t \\\\ \\\" \\[ \\] \\- \\x \\u \\U");
      return 0;
  }
}

char32_t Text::escaped(std::size_t begin, int digits) {
  std::uint64_t value = 0;
  for (int digit = 0; digit < digits; ++digit, ++at_) {
    const int hex = hex_value(static_cast<unsigned char>(peek()));
    if (hex < 0) {
      fail(begin, "this escape has " + std::to_string(digits) + " hexadecimal digits");
      return 0;
    }
    value = 16 * value + static_cast<std::uint64_t>(hex);
  }
  if (value > kLastCodePoint) {
    fail(begin, "the last code point is \\U0010FFFF");
    return 0;
  }
  return static_cast<char32_t>(value);
}

char32_t Text::utf8_character() {
  const Utf8Unit unit = read_utf8(text_, at_);
  if (unit.sequence != Utf8Sequence::kValid) {
    fail(at_, "this is not UTF-8");
    return 0;
  }
  at_ += unit.length;
  return unit.code_point;
}

}  // namespace emberline::grammar::gbnf
