// The families of models that fill in the middle: by which names their vocabularies know the marks of a
// prompt's parts, and in which order those parts come, of which a file says nothing.
#pragma once

#include <string_view>

#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary.h"

namespace emberline {

// FimTokens::files: a file's path stands on a line of its own behind the separator, and that of the file that
// is filled in in front of its marks, or behind the one of its prefix. Other families were taught with single
// files, or nobody says how.
inline constexpr std::string_view kPathBeforeMarks = "path_before_marks";
inline constexpr std::string_view kPathInPrefix = "path_in_prefix";

// What the file names (`named`, of `vocabulary`'s ids), with the rest of the family's marks and its layout. A
// family is told by the control tokens of its names, or those that the file names, and where two have the
// same by how they split text. As named where no family has them all. O(tokens).
FimTokens find_fim_tokens(const Vocabulary& vocabulary, std::string_view pre_tokenizer,
                          const FimTokens& named);

}  // namespace emberline
