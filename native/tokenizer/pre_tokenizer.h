// Cutting text into pieces that merges never cross, as each model family was trained.
//
// Hand-written scanners over code points; each documents the regular expression it implements
// (word_split.h, isolating_split.h). \s is Unicode's White_Space; \p{L}, \p{M}, \p{N}, \p{P} and \p{S} are
// General_Category's (unicode_class.h). A byte that is not part of valid UTF-8 is a character of its own that
// is none of these.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tokenizer/isolating_split.h"
#include "tokenizer/word_split.h"

namespace emberline {

struct Split {
  enum class Way : std::uint8_t { kGpt2, kCl100k, kO200k, kDeepSeek3, kIsolated };

  Way way = Way::kGpt2;
  Cl100kRules cl100k = {};                // for kCl100k
  O200kRules o200k = {};                  // for kO200k
  Isolated isolated = Isolated::kNumber;  // for kIsolated
};

struct PreTokenizer {
  static constexpr std::size_t kMaxSplits = 6;

  // The first cuts the text; each further one cuts every piece of the one before it, as if it were a text of
  // its own.
  std::array<Split, kMaxSplits> splits;
  std::size_t split_count;
  // A piece that is a token is that token, whatever the merges say.
  bool ignores_merges;
  // Whether a BOS is expected where the file does not say.
  bool adds_bos_by_default;
};

// The pre-tokenizer that GGUF's `tokenizer.ggml.pre` names; nullopt for a name the engine does not know.
std::optional<PreTokenizer> find_pre_tokenizer(std::string_view name);

// Iterates over the pieces of one text. Every byte belongs to exactly one piece, in order; no piece is empty.
// Linear time.
class PieceSplitter {
 public:
  // `text` must outlive the splitter.
  PieceSplitter(const PreTokenizer& pre_tokenizer, std::string_view text)
      : pre_(pre_tokenizer), text_(text) {}

  // The next piece; empty at the end of the text.
  std::string_view next();

 private:
  PreTokenizer pre_;
  std::string_view text_;
  std::size_t position_ = 0;
  // Where the piece of each split ends that position_ is in; position_ itself where a new one begins.
  std::array<std::size_t, PreTokenizer::kMaxSplits> ends_{};
};

}  // namespace emberline
