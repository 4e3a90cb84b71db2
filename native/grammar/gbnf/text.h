// The characters of a grammar: names, numbers and escapes, and what is wrong where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace emberline::grammar::gbnf {

class Text {
 public:
  explicit Text(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  std::size_t size() const { return text_.size(); }
  std::string_view from(std::size_t begin) const { return text_.substr(begin, at_ - begin); }
  bool at_end() const { return at_ >= text_.size(); }
  bool at_break() const { return !at_end() && (peek() == '\n' || peek() == '\r'); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void skip(std::size_t bytes = 1) { at_ += bytes; }
  bool take(char c);
  bool take(std::string_view word);
  // Comments as well; `breaks`: and line breaks.
  void skip_space(bool breaks);

  // The first thing wrong is kept.
  void fail(std::size_t at, const std::string& what);
  void stop(Status error) { error_ = std::move(error); }
  const Status& error() const { return error_; }
  bool ok() const { return error_.ok(); }

  // Empty, or none, where there is none.
  std::string_view name();
  std::optional<std::uint32_t> number();
  // One character of a literal or a class, escapes resolved.
  char32_t character();

 private:
  char32_t escaped(std::size_t begin, int digits);
  char32_t utf8_character();

  std::string_view text_;
  std::size_t at_ = 0;
  Status error_;
};

bool is_surrogate(char32_t point);

}  // namespace emberline::grammar::gbnf
