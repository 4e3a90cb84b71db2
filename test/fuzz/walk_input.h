// What the bytes of a token walk mean. Printable, so that a seed can be read and an input that fails be
// edited.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/program.h"

namespace emberline::testing {

struct Move {
  enum class Kind {
    kToken,      // one that is allowed, chosen by its share of them
    kForced,     // the longest that the text that has to come begins with
    kBack,       // to where the walk has been
    kStartOver,  // with the last place kept (odd `choice`) or all of them
    kReplay,     // the text so far, read again: whitespace by `choice` % 4, cut in two by the rest
  };
  Kind kind = Kind::kToken;
  unsigned char choice = 0;
};

struct WalkInput {
  std::optional<grammar::Layout> layout;  // of a JSON Schema; none: GBNF
  std::string_view grammar;               // of the input's bytes
  std::vector<Move> moves;
  bool long_tokens = false;  // in the vocabulary: longer than whitespace may be in one place
};

// '0': GBNF. '1', '2', '3': JSON Schema in compact, free and indented layout, '7': indented by tabs and CR
// LF. Then the grammar up to a zero byte, then moves: two bytes each, "f" forced, "b" back, "s" start over,
// "r" replay, any other byte a token.
inline WalkInput read_walk(std::string_view bytes) {
  WalkInput input;
  if (bytes.empty()) return input;
  const unsigned kind = static_cast<unsigned char>(bytes[0]);
  if (kind % 4 != 0) {
    constexpr grammar::LayoutKind kKinds[] = {grammar::LayoutKind::kCompact, grammar::LayoutKind::kFree,
                                              grammar::LayoutKind::kIndented};
    input.layout.emplace();
    input.layout->kind = kKinds[kind % 4 - 1];
    if (kind % 8 == 7) {
      input.layout->unit = "\t";
      input.layout->newline = "\r\n";
    }
  }
  input.long_tokens = (kind & 8) != 0;
  bytes.remove_prefix(1);
  const std::size_t end = bytes.find('\0');
  input.grammar = bytes.substr(0, end);
  if (end == std::string_view::npos) return input;
  for (bytes.remove_prefix(end + 1); bytes.size() >= 2; bytes.remove_prefix(2)) {
    Move move;
    move.choice = static_cast<unsigned char>(bytes[1]);
    switch (bytes[0]) {
      case 'f': move.kind = Move::Kind::kForced; break;
      case 'b': move.kind = Move::Kind::kBack; break;
      case 's': move.kind = Move::Kind::kStartOver; break;
      case 'r': move.kind = Move::Kind::kReplay; break;
      default: break;
    }
    input.moves.push_back(move);
  }
  return input;
}

// The beginning of a JSON document, written by somebody else: 0: as it is; 1: without whitespace; 2, 3: with
// a blank or a tab on either side of punctuation.
inline std::string with_whitespace(std::string_view json, unsigned way) {
  if (way == 0) return std::string(json);
  std::string out;
  bool in_string = false, escaped = false;
  for (const char c : json) {
    if (in_string) {
      out.push_back(c);
      in_string = escaped || c != '"';
      escaped = !escaped && c == '\\';
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    const char space = way == 2 ? ' ' : '\t';
    const bool opens = c == '{' || c == '[', separates = c == ',' || c == ':', closes = c == '}' || c == ']';
    if (way > 1 && (separates || closes)) out.push_back(space);
    out.push_back(c);
    if (way > 1 && (separates || opens)) out.push_back(space);
    in_string = c == '"';
  }
  return out;
}

}  // namespace emberline::testing
