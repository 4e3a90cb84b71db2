// From the bytes of generated tokens to the text a caller sees.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "decode/blank.h"
#include "tokenizer/utf8_stream.h"

namespace emberline {

using TextSink = std::function<void(std::string_view)>;

// Takes off the required prefix, ends a single line at its break, and hands out whole characters only. A
// character left incomplete at the end is dropped.
class OutputText {
 public:
  // `sink` may be empty; it receives non-empty pieces of valid UTF-8 that together make text().
  OutputText(std::string_view required_prefix, bool single_line, TextSink sink)
      : required_prefix_(required_prefix), single_line_(single_line), sink_(std::move(sink)) {}

  // Adds a token's bytes; they agree with remaining_prefix() as far as both go. True when they held the line
  // break that ends the line: the break and what follows it are left out, and nothing more may be pushed.
  bool push(std::string_view bytes);

  // What still has to be spelled.
  std::string_view remaining_prefix() const { return std::string_view(required_prefix_).substr(spelled_); }
  bool prefix_ends_with_space() const { return ends_with_space(required_prefix_); }
  // Whether anything visible was produced beyond the required prefix.
  bool visible() const { return visible_; }
  const std::string& text() const { return text_; }
  // How long text() is in UTF-16 units, which is what editors count in.
  std::size_t units() const { return units_; }

 private:
  std::string required_prefix_;
  bool single_line_;
  TextSink sink_;
  std::size_t spelled_ = 0;  // bytes of the required prefix produced so far
  bool visible_ = false;
  Utf8Stream stream_;
  std::string text_;
  std::size_t units_ = 0;
};

}  // namespace emberline
