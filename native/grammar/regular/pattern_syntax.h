// Regular expressions as trees (ECMA 262, section 22.2.1 with the u flag, and Annex B.1.2 where that
// refuses).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "grammar/regular/code_points.h"
#include "grammar/regular/dfa.h"

namespace emberline::grammar {

enum class PatternKind : std::uint8_t {
  kCharacter,       // one of `characters`
  kSequence,        // of its parts
  kChoice,          // between its parts
  kRepeat,          // its part, between least and most times
  kStart,           // ^
  kEnd,             // $
  kWordBoundary,    // \b
  kNoWordBoundary,  // \B
  kAhead,           // (?=part)
  kNotAhead,        // (?!part)
};

struct PatternNode {
  PatternKind kind = PatternKind::kSequence;
  CodePointSet characters;
  std::vector<std::uint32_t> parts;   // indices of nodes
  std::uint32_t least = 0, most = 0;  // kNone: no bound
};

struct Pattern {
  std::vector<PatternNode> nodes;  // parts before what they are parts of; the last one is the whole
};

// GRAMMAR_INVALID with the place (in characters, from 1), GRAMMAR_UNSUPPORTED by name and place,
// GRAMMAR_TOO_LARGE for groups in groups beyond a depth.
Result<Pattern> parse_pattern(std::string_view pattern);

}  // namespace emberline::grammar
