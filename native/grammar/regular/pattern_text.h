// The characters of a regular expression: escapes, classes and numbers, and what is wrong where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "grammar/regular/code_points.h"
#include "grammar/regular/digits.h"

namespace emberline::grammar {

class PatternText {
 public:
  static constexpr char32_t kEndOfText = 0xFFFFFFFF;

  explicit PatternText(std::u32string text) : text_(std::move(text)) {}

  std::size_t at() const { return at_; }
  void go_to(std::size_t at) { at_ = at; }
  char32_t peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : kEndOfText;
  }
  char32_t next() { return text_[at_++]; }
  bool at_digit() const { return is_digit(peek()); }
  bool at_letter(std::size_t ahead = 0) const;
  bool eat(char32_t c);
  bool eat(std::u32string_view word);

  // The first thing wrong is kept, and ends the text. 0, for who returns a number.
  const Status& status() const { return status_; }
  bool ok() const { return status_.ok(); }
  std::uint32_t fail(const char* what) { return stop(ErrorCode::kGrammarInvalid, what, "is not allowed"); }
  std::uint32_t unsupported(const std::string& what) {
    return stop(ErrorCode::kGrammarUnsupported, what, "is not supported");
  }
  std::uint32_t stop(ErrorCode code, const std::string& what, const char* why);

  // Digits; the largest count there is where they are more than that.
  std::uint32_t count();
  // A class that a letter behind a backslash names: d, D, s, S, w, W, p, P.
  std::optional<CodePointSet> named_class();
  // The character that the rest of an escape stands for, the backslash read.
  char32_t character_escape();
  // From its bracket on.
  CodePointSet character_class();

 private:
  // What an escape or a character of a class stands for: a set, which no range can begin or end with, or a
  // character.
  struct ClassAtom {
    std::optional<char32_t> character;
    CodePointSet set;
  };
  std::optional<char32_t> hex(int count);
  std::optional<char32_t> unicode_escape();
  ClassAtom class_atom();

  std::u32string text_;
  std::size_t at_ = 0;
  Status status_;
};

}  // namespace emberline::grammar
