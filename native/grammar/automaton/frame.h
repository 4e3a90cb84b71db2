// The frames that stacks are made of.
#pragma once

#include <cstdint>

#include "grammar/program.h"

namespace emberline::grammar {

using NodeId = std::uint32_t;      // an interned stack, by its uppermost frame; kNone: the empty one
using TextId = std::uint32_t;      // an interned text; kNoText: the empty one
using TextListId = std::uint32_t;  // a list of texts, newest first; kNone: the empty one
using TextSetId = std::uint32_t;   // a set of texts; kNone: the empty one
inline constexpr TextId kNoText = kNone;

enum class FrameKind : std::uint8_t {
  // What is open. `where`: the pc behind it.
  kReturnTo,
  kRepeating,
  kInObject,
  kInArray,
  kUniqueItem,  // on kInArray: an item that has to differ from those before it

  // Leaves, which read the next byte: uppermost frames only. On kInObject and kInArray where they belong to
  // one.
  kTerminal,
  kTokens,
  kObjectOpen,
  kArrayOpen,
  kObjectFirst,  // behind the brace: the first key or the other brace
  kObjectKey,    // behind a comma
  kKey,
  kObjectColon,
  kObjectValue,  // whitespace behind the colon
  kObjectNext,   // behind a value
  kArrayFirst,   // behind the bracket: whitespace or the other bracket
  kArrayItem,    // whitespace behind a comma
  kArrayNext,    // behind an item
  kSpace,        // Op::kSpace
};

inline constexpr std::uint32_t kPast = 0xFFFFFFFEu;  // whitespace that somebody wrote was read

inline constexpr TextSetId kByText = 0xFFFFFFFEu;

inline constexpr std::uint16_t kFollowed = 1;  // in a kUniqueItem, whose text grows with every byte
inline constexpr std::uint16_t kLoosened = 2;  // in an array whose earlier items were forgotten

// How an array is written where the layout is indented.
enum class Broken : std::uint8_t { kOneLine, kLines, kUndecided };

struct Frame {
  NodeId parent = kNone;
  Pc where = 0;
  std::uint32_t words[3] = {};  // what they hold depends on the kind, and is named below
  std::uint16_t level = 0;      // of indentation: of what stands inside the innermost open object or array
  std::uint16_t depth = 0;      // open frames below and with this one
  FrameKind kind = FrameKind::kReturnTo;
  Broken broken = Broken::kOneLine;  // of kInArray
  std::uint16_t flags = 0;           // kFollowed, kLoosened

  bool followed() const { return (flags & kFollowed) != 0; }

  // kRepeating: how often the body was read.
  std::uint32_t& times() { return words[0]; }
  std::uint32_t times() const { return words[0]; }

  // kInObject: the known keys that came (ObjectReader::keys_seen), all members, and the other keys that came.
  std::uint32_t& keys() { return words[0]; }
  std::uint32_t keys() const { return words[0]; }
  std::uint32_t& members() { return words[1]; }
  std::uint32_t members() const { return words[1]; }
  TextListId& other_keys() { return words[2]; }
  TextListId other_keys() const { return words[2]; }

  // kInArray: items, those that `contains` counts, and where they have to differ their texts, normalised.
  std::uint32_t& items() { return words[0]; }
  std::uint32_t items() const { return words[0]; }
  std::uint32_t& counted() { return words[1]; }
  std::uint32_t counted() const { return words[1]; }
  TextListId& item_texts() { return words[2]; }
  TextListId item_texts() const { return words[2]; }

  // kUniqueItem: its text so far and, once that opens an object or an array, the earlier ones that it may
  // still become equal to; kByText: those whose texts begin with it. kKey: its text so far, where other keys
  // have to differ.
  TextId& text() { return words[1]; }
  TextId text() const { return words[1]; }
  TextSetId& alike() { return words[2]; }
  TextSetId alike() const { return words[2]; }

  // kTerminal and kKey: the state of the automaton. kTerminal: the characters that were begun.
  std::uint32_t& state() { return words[0]; }
  std::uint32_t state() const { return words[0]; }
  std::uint32_t& characters() { return words[1]; }
  std::uint32_t characters() const { return words[1]; }

  // Other leaves: the bytes of whitespace that were read, or kPast. kObjectColon, kObjectValue: the label of
  // the key.
  std::uint32_t& spaces() { return words[0]; }
  std::uint32_t spaces() const { return words[0]; }
  std::uint32_t& label() { return words[1]; }
  std::uint32_t label() const { return words[1]; }
};

// The number of the terminal, repeat, object, array or token set that a frame is of.
inline std::uint32_t rule_of(const Program& program, const Frame& frame) {
  return program.code[frame.where - 1].operand;
}

}  // namespace emberline::grammar
