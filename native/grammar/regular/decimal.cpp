#include "grammar/regular/decimal.h"

#include <algorithm>
#include <string>

#include "grammar/regular/digits.h"

namespace emberline::grammar {
namespace {

constexpr std::int64_t kMostPlainDigits = 400;
constexpr std::int64_t kMostDivisionDigits = 100'000;
constexpr std::size_t kMostDivisorDigits = 18;  // ten times as much is still an integer of 64 bits

// The place in front of the first digit, as a power of ten; the number is below 10^magnitude.
std::int64_t magnitude(const Decimal& number) {
  return number.exponent + static_cast<std::int64_t>(number.digits.size());
}

void reduce(Decimal& number) {
  const std::size_t first = number.digits.find_first_not_of('0');
  if (first == std::string::npos) {
    number = Decimal{};
    return;
  }
  number.digits.erase(0, first);
  const std::size_t last = number.digits.find_last_not_of('0');
  number.exponent += static_cast<std::int64_t>(number.digits.size() - last - 1);
  number.digits.resize(last + 1);
}

Status invalid(std::string_view text) {
  return {ErrorCode::kGrammarInvalid, std::string(text.substr(0, 40)).append(" is not a JSON number.")};
}

Status too_long() {
  return {ErrorCode::kGrammarTooLarge,
          "A number has too many digits or too large an exponent; write it with at most a million."};
}

}  // namespace

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  const int sign_a = a.zero() ? 0 : a.negative ? -1 : 1, sign_b = b.zero() ? 0 : b.negative ? -1 : 1;
  if (sign_a != sign_b) return sign_a <=> sign_b;
  // Digits behind the first of each compare as text does, as none ends in a zero.
  auto order = magnitude(a) <=> magnitude(b);
  if (order == 0) order = a.digits <=> b.digits;
  return sign_a < 0 ? 0 <=> order : order;
}

Result<Decimal> decimal_from_json(std::string_view text) {
  Decimal number;
  std::size_t at = 0;
  const auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
  const auto digits = [&] {
    const std::size_t begin = at;
    while (is_digit(peek())) ++at;
    number.digits.append(text, begin, at - begin);
    return at - begin;
  };
  if (peek() == '-') {
    number.negative = true;
    ++at;
  }
  const bool leading_zero = peek() == '0';
  const std::size_t whole = digits();
  if (whole == 0 || (leading_zero && whole > 1)) return invalid(text);
  if (peek() == '.') {
    ++at;
    const std::size_t fraction = digits();
    if (fraction == 0) return invalid(text);
    number.exponent = -static_cast<std::int64_t>(fraction);
  }
  bool huge = false;
  if (peek() == 'e' || peek() == 'E') {
    ++at;
    const bool minus = peek() == '-';
    if (minus || peek() == '+') ++at;
    if (!is_digit(peek())) return invalid(text);
    std::int64_t exponent = 0;
    for (; is_digit(peek()); ++at) {
      exponent = std::min(exponent * 10 + (peek() - '0'), kMostDecimalExponent + 1);
    }
    huge = exponent > kMostDecimalExponent;
    number.exponent += minus ? -exponent : exponent;
  }
  if (at != text.size()) return invalid(text);
  const bool too_many = number.digits.size() > static_cast<std::size_t>(kMostDecimalExponent);
  reduce(number);
  if (number.zero()) return number;
  if (huge || too_many) return too_long();
  return number;
}

Decimal decimal_from_integer(std::int64_t value) {
  Decimal number;
  number.digits = std::to_string(value);
  if (value < 0) {
    number.negative = true;
    number.digits.erase(0, 1);
  }
  reduce(number);
  return number;
}

std::string canonical_text(const Decimal& number) {
  if (number.zero()) return "0";
  std::string text(number.negative ? 1 : 0, '-');
  const auto count = static_cast<std::int64_t>(number.digits.size());
  const std::int64_t point = magnitude(number);  // digits in front of it
  if (std::max(point, std::int64_t{1}) + std::max(-number.exponent, std::int64_t{0}) > kMostPlainDigits) {
    text.push_back(number.digits[0]);
    if (count > 1) text.append(".").append(number.digits, 1);
    return text + "e" + std::to_string(point - 1);
  }
  if (point <= 0) return text + "0." + std::string(static_cast<std::size_t>(-point), '0') + number.digits;
  if (point >= count) return text + number.digits + std::string(static_cast<std::size_t>(point - count), '0');
  return text + number.digits.substr(0, static_cast<std::size_t>(point)) + "." +
         number.digits.substr(static_cast<std::size_t>(point));
}

Result<bool> is_multiple(const Decimal& number, const Decimal& divisor) {
  if (number.zero()) return true;
  // number / divisor = number.digits * 10^shift / divisor.digits
  const std::int64_t shift = number.exponent - divisor.exponent;
  if (shift < 0) return false;  // 10 does not divide number.digits
  if (shift + static_cast<std::int64_t>(number.digits.size()) > kMostDivisionDigits ||
      divisor.digits.size() > kMostDivisorDigits) {
    return Status(ErrorCode::kGrammarTooLarge,
                  "A number takes too long to divide; write divisors with at most 18 digits, and numbers "
                  "with at most 100,000.");
  }
  std::uint64_t by = 0, rest = 0;
  for (const char c : divisor.digits) by = by * 10 + static_cast<std::uint64_t>(c - '0');
  for (const char c : number.digits) rest = (rest * 10 + static_cast<std::uint64_t>(c - '0')) % by;
  for (std::int64_t i = 0; i < shift && rest != 0; ++i) rest = rest * 10 % by;
  return rest == 0;
}

}  // namespace emberline::grammar
