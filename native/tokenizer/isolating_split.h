// Splits that cut certain characters out of a text: what matches is a piece, and what lies between two
// matches is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace emberline {

enum class Isolated : std::uint8_t {
  kNumber,              // \p{N}
  kThreeNumbers,        // \p{N}{1,3}
  kLineEnd,             // [\r\n]
  kLetters,             // \s?\p{L}+
  kPunctuation,         // \s?\p{P}+
  kPunctuationAlone,    // [!-/:-@\[-`{-~\p{P}]+
  kDeepSeekLetters,     // \s?C+ with the letters C that have an upper and a lower case, as DeepSeek LLM lists
                        // them
  kDeepSeekCharacters,  // \s?[!-/:-~！-／：-～‘-‟　-。]+
  kTrailingSpace,       // \s+$ at the end of the text
  kAsian,               // [一-龥ࠀ-一가-퟿]+
  kHanOrKana,           // [一-龥぀-ゟ゠-ヿ]+
  kSpelledNumbers,      // \p{N}+ of the text in GPT-2's byte alphabet: some bytes that are no digits, too
  kThreeDigits,         // [0-9][0-9][0-9]
};

// The end of the piece of `text` that begins at `position` < text.size(), where a piece begins. Looks at
// nothing before it. Time linear in the text over all of its pieces.
std::size_t isolated_piece_end(Isolated isolated, std::string_view text, std::size_t position);

}  // namespace emberline
