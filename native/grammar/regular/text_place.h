// Where something stands in a text, for people.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace emberline::grammar {

// `line 2, column 3`, both from 1, columns in characters. Lines end with LF, CR, or both. `at`: a byte of
// `text`, or its end.
inline std::string place_in(std::string_view text, std::size_t at) {
  std::size_t line = 1, begin = 0;
  for (std::size_t i = 0; i < at; ++i) {
    const bool ends_line = text[i] == '\n' || (text[i] == '\r' && text.substr(i + 1, 1) != "\n");
    if (!ends_line) continue;
    ++line;
    begin = i + 1;
  }
  const std::string_view before = text.substr(begin, at - begin);
  const auto characters = std::count_if(before.begin(), before.end(), begins_code_point);
  return "line " + std::to_string(line) + ", column " + std::to_string(characters + 1);
}

}  // namespace emberline::grammar
