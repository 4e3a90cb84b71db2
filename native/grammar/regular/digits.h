// Digits of ASCII, as char or char32_t.
#pragma once

namespace emberline::grammar {

constexpr bool is_digit(auto c) {
  return c >= '0' && c <= '9';
}

// Of a hexadecimal digit; -1 where `c` is none.
constexpr int hex_value(char32_t c) {
  if (is_digit(c)) return static_cast<int>(c - '0');
  const char32_t lower = c | 0x20;
  return lower >= 'a' && lower <= 'f' ? static_cast<int>(lower - 'a') + 10 : -1;
}

}  // namespace emberline::grammar
