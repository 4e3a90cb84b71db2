// Reads GBNF, the notation that llama.cpp gives its grammars.
//
// Source: https://github.com/ggml-org/llama.cpp, grammars/README.md. In short:
//
//   name ::= alternative | alternative        a rule; `root` is where a text begins
//   "text"  [a-z_]  [^\n]  .                  characters are Unicode code points; `.` is any of them
//   \n \r \t \\ \" \[ \] \- \xNN \uNNNN \UNNNNNNNN
//   ( … )  x*  x+  x?  x{m}  x{m,}  x{m,n}  x{,n}
//   <[17]>  <name>  !<[17]>  !<name>          one token; one token that is not this
//   # a comment, to the end of the line
//
// A rule ends with its line; it goes on behind `::=`, behind `|` and within parentheses. Names are of
// letters, digits, `-` and `_`.
#pragma once

#include <string_view>

#include "base/status.h"
#include "grammar/gbnf/syntax.h"

namespace emberline::grammar::gbnf {

// `text`: UTF-8. Every rule of the result that is used is defined. GRAMMAR_INVALID with line and column,
// GRAMMAR_TOO_LARGE for one that is nested too deep or has too many parts.
Result<Syntax> parse(std::string_view text);

}  // namespace emberline::grammar::gbnf
