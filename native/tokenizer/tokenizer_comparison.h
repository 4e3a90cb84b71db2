// Whether two models mean the same by their token ids.
#pragma once

#include <string>

#include "tokenizer/tokenizer.h"

namespace emberline {

// The first difference, as a clause that names it ("token 17 stands for other text"); empty where an id of
// one can be handed to the other: the same bytes and kinds, the same tokens at the beginning and the end of
// texts, the same way to split a text. Unused tokens behind the rest do not count: models of one family fill
// their embeddings up to different sizes. O(vocabulary).
std::string tokenizer_difference(const Tokenizer& one, const Tokenizer& other);

}  // namespace emberline
