// Cutting text into pieces that merges never cross, as each model family was trained.
//
// Hand-written scanners over code points; each documents the regular expression it implements. \s is
// Unicode's White_Space, \p{L} and \p{N} are General_Category L and N (unicode_class.h). A byte that is not
// part of valid UTF-8 is a character of its own that is none of these.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace emberline {

enum class SplitPattern {
  kGpt2,    // Radford et al. 2019
  kLlama3,  // tiktoken's cl100k family: Llama 3 and Qwen2, which differ in how many digits a piece may hold
};

struct PreTokenizer {
  SplitPattern pattern;
  // Every \p{N} is a piece of its own, and what lies between two of them is cut as if it were a text of its
  // own.
  bool isolates_numbers;
  // kLlama3: the longest run of \p{N} in one piece.
  unsigned digits_per_piece;
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
  // Where the run without numbers ends that position_ is in; used where isolates_numbers.
  std::size_t section_end_ = 0;
};

}  // namespace emberline
