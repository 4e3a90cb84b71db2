// The Unicode properties that pre-tokenizers ask for, one class a code point (they do not overlap).
#pragma once

#include <cstdint>

namespace emberline {

enum class UnicodeClass : std::uint8_t {
  kOther = 0,        // controls, format characters, what is private or not assigned
  kUpperLetter = 1,  // General_Category Lu, Lt
  kLowerLetter = 2,  // Ll
  kOtherLetter = 3,  // Lm, Lo
  kNumber = 4,       // \p{N}: Nd, Nl, No
  kSpace = 5,        // \s: White_Space; with U+0085, without U+FEFF (unlike JavaScript's \s)
  kMark = 6,         // \p{M}: Mn, Mc, Me
  kPunctuation = 7,  // \p{P}: Pc, Pd, Ps, Pe, Pi, Pf, Po
  kSymbol = 8,       // \p{S}: Sm, Sc, Sk, So
};

// \p{L}
constexpr bool is_letter(UnicodeClass unicode_class) {
  return unicode_class >= UnicodeClass::kUpperLetter && unicode_class <= UnicodeClass::kOtherLetter;
}

// The class of `code_point` in Unicode 17.0; kOther for anything above U+10FFFF. O(log of the number of
// runs).
UnicodeClass unicode_class(char32_t code_point);

}  // namespace emberline
