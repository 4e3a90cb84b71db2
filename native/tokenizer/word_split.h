// Splits by words: GPT-2's, and those made after it. A regular expression is matched again and again; what
// it leaves out in between, if anything, is a piece as well.
#pragma once

#include <cstddef>
#include <string_view>

namespace emberline {

// All of these return the end of the piece of `text` that begins at `position` < text.size(), and look at
// nothing before it. Time linear in the text over all of its pieces.

// Radford et al. 2019:
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t gpt2_piece_end(std::string_view text, std::size_t position);

struct Cl100kRules {
  unsigned digits_per_piece;  // n below
  bool marks_are_letters;     // \p{M} goes with \p{L}, wherever that stands below
  bool line_ends_apart;       // a line end is not among [^\s\p{L}\p{N}] (it never is), nor behind them
};
// tiktoken's cl100k_base, and what was made after it:
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,n}
// or, where none of these matches,
//    ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
// without the first [\r\n]* where line_ends_apart.
std::size_t cl100k_piece_end(std::string_view text, std::size_t position, const Cl100kRules& rules);

struct O200kRules {
  unsigned digits_per_piece;  // n below
  bool contractions;          // a word takes the contraction behind it
};
// tiktoken's o200k_base, which cuts words where small letters are followed by capitals, and what was made
// after it. With U = [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] and W = [\p{Ll}\p{Lm}\p{Lo}\p{M}]:
//   [^\r\n\p{L}\p{N}]?U*W+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//   |[^\r\n\p{L}\p{N}]?U+W*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
// or, where neither matches,
//   \p{N}{1,n}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
std::size_t o200k_piece_end(std::string_view text, std::size_t position, const O200kRules& rules);

// The last of the splits of DeepSeek-V3 (arXiv:2412.19437), which no number comes to, with a =
// [!-/:-@\[-`{-~]:
//   a[A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
std::size_t deepseek3_piece_end(std::string_view text, std::size_t position);

}  // namespace emberline
