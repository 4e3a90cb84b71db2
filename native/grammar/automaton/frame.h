// The frames that stacks are made of.
#pragma once

#include <cstdint>

#include "grammar/automaton/interner.h"
#include "grammar/program.h"

namespace emberline::grammar {

using NodeId = std::uint32_t;  // an interned stack, by its uppermost frame; kNone: the empty one
using TextId = std::uint32_t;  // an interned text; kNoText: the empty one
inline constexpr TextId kNoText = kNone;

enum class FrameKind : std::uint8_t {
  // What is open. `where`: the pc behind it.
  kReturnTo,
  kRepeating,  // a: times that the body was read
  kInObject,   // a: keys seen (set of keys), b: members, c: other keys seen (list of texts)
  kInArray,    // a: items, b: of them counted, c: texts of unique items, normalised (list of texts)
  // On kInArray. a: the item's text so far, b: where items may be objects or arrays, the earlier ones that
  // it may still become equal to (set of texts); kNone: none
  kUniqueItem,

  // What reads the next byte: uppermost frames only. On kInObject and kInArray where they belong to one;
  // a: bytes of whitespace that were read, or kPast.
  kTerminal,     // a: state of the automaton, b: characters
  kTokens,       //
  kObjectOpen,   //
  kArrayOpen,    //
  kObjectFirst,  // behind the brace: the first key or the other brace
  kObjectKey,    // behind a comma
  kKey,          // a: state of the automaton, b: text so far where other keys have to be distinct
  kObjectColon,  // b: label of the key
  kObjectValue,  // whitespace behind the colon. b: label of the key
  kObjectNext,   // behind a value
  kArrayFirst,   // behind the bracket: whitespace or the other bracket
  kArrayItem,    // whitespace behind a comma
  kArrayNext,    // behind an item
  kSpace,        // Op::kSpace
};

inline constexpr std::uint32_t kPast = 0xFFFFFFFEu;  // whitespace that somebody wrote was read

inline constexpr std::uint16_t kTracked = 1;  // in a kUniqueItem, whose text grows with every byte
inline constexpr std::uint16_t kLoose = 2;  // in an array whose earlier items were forgotten: see loosened()

// How an array is written where the layout is indented.
enum class Broken : std::uint8_t { kOneLine, kLines, kUndecided };

struct Frame {
  NodeId parent = kNone;
  Pc where = 0;
  std::uint32_t a = 0, b = 0, c = 0;
  std::uint16_t level = 0;  // of indentation: of what stands inside the innermost open object or array
  std::uint16_t depth = 0;  // open frames below and with this one
  FrameKind kind = FrameKind::kReturnTo;
  Broken broken = Broken::kOneLine;  // of kInArray
  std::uint16_t tracked = 0;         // kTracked, kLoose
};

// Texts, each as another with a byte behind it.
struct TextLink {
  TextId front = kNoText;
  std::uint32_t byte = 0;
  std::uint32_t length = 0;  // of the whole
};

// Lists of texts, newest first; kNone is the empty one.
struct TextListLink {
  std::uint32_t rest = kNone;
  TextId text = kNoText;
  std::uint32_t length = 0;
};

}  // namespace emberline::grammar
