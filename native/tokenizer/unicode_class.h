// The three Unicode properties that pre-tokenizers ask for, one class a code point (they do not overlap).
#pragma once

#include <cstdint>

namespace emberline {

enum class UnicodeClass : std::uint8_t {
  kOther = 0,
  kLetter = 1,  // \p{L}: General_Category Lu, Ll, Lt, Lm, Lo
  kNumber = 2,  // \p{N}: General_Category Nd, Nl, No
  kSpace = 3,   // \s: White_Space; with U+0085, without U+FEFF (unlike JavaScript's \s)
};

// The class of `code_point` in Unicode 17.0; kOther for anything above U+10FFFF. O(log of the number of
// runs).
UnicodeClass unicode_class(char32_t code_point);

}  // namespace emberline
