// What grammars compile to: a recursive transition network over bytes, with counters and sets of keys.
//
// Rules are sequences of instructions. What a program accepts is what can be read on the way from `start`
// through calls to its return. Invariant (the compiler's duty, checked by ProgramBuilder where it can be):
// from every instruction some text leads on to the rule's return, so that a text that was accepted so far can
// always be completed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grammar/regular/dfa.h"
#include "tokenizer/tokenizer.h"

namespace emberline::grammar {

inline constexpr std::uint32_t kUnbounded = 0xFFFFFFFFu;

using Pc = std::uint32_t;  // index into Program::code

enum class Op : std::uint8_t {
  kTerminal,  // operand: terminal. Reads one text of it.
  kTokens,    // operand: token set. Reads one whole token of it (GBNF's token references).
  kCall,      // operand: pc of a rule; goes on behind this once it has returned
  kReturn,    //
  kFork,      // operand: pc. Goes on there as well as behind this.
  kJump,      // operand: pc
  kRepeat,    // operand: repeat. Calls its body between least and most times.
  kObject,    // operand: object. Reads a JSON object, braces included.
  kArray,     // operand: array. Reads a JSON array, brackets included.
  kSpace,     // Whitespace as free layout has it, before and behind a document; nothing in other layouts.
};

struct Instruction {
  Op op = Op::kReturn;
  std::uint32_t operand = 0;
};

struct Terminal {
  Dfa dfa;
  // Characters of a string's JSON text, quotes not included in such a terminal. An escape is one character.
  // Not counted where 0 and kUnbounded. Where counted, the length of every text of `dfa` can be brought up to
  // any number of characters: the matcher looks ahead for `most_characters` alone.
  std::uint32_t least_characters = 0;
  std::uint32_t most_characters = kUnbounded;
  std::vector<std::uint8_t> between =
      {};  // [states], where counted: whether the state is between two characters
  bool counted() const { return least_characters > 0 || most_characters != kUnbounded; }
};

struct TokenSetRule {
  std::vector<TokenId> ids;  // ascending
  bool complement = false;   // all but these
  // Names of special tokens, resolved against a vocabulary: `<think>`.
  std::vector<std::string> names;
};

struct Repeat {
  Pc body = 0;  // a rule; no text of it is empty
  std::uint32_t least = 0;
  std::uint32_t most = kUnbounded;
};

// A value that is of a kind which some member has to be of.
struct MarkedValue {
  Pc value = 0;                      // a rule
  std::vector<std::uint32_t> marks;  // of ObjectRule: what it stands for
};

struct Member {
  Pc value = 0;                          // a rule
  std::uint32_t key = kNone;             // below ObjectRule::known_keys; kNone: an additional one
  std::vector<MarkedValue> marked = {};  // of an additional one: other ways to read its value
};

// When key `seen` came, key `required` has to.
struct Dependency {
  std::uint32_t seen = 0, required = 0;
};

struct ObjectRule {
  Dfa keys;  // JSON texts of keys, quotes included; label n: members[n - 1]
  std::vector<Member> members;
  std::uint32_t known_keys = 0;  // keys that are told apart: 0 .. known_keys - 1, each at most once
  // The last so many of the known keys are marks: no key is one of them, they come with a value that is of a
  // kind. The compiler's duty: there is no end of additional keys with such values, nor of members.
  std::uint32_t marks = 0;
  std::vector<std::uint32_t> required;
  std::vector<Dependency> dependencies;
  std::uint32_t least = 0;  // members
  std::uint32_t most = kUnbounded;
  bool distinct_others = false;  // keys that are not told apart do not come twice either
};

// An item, in the ways it may be read. With `contains` (least_counted or most_counted set) one that also is
// what is counted, and one that is not or need not be.
struct Item {
  Pc value = kNone;    // kNone: none
  Pc counted = kNone;  // kNone: none
};

struct ArrayRule {
  std::vector<Item> prefix;
  Item rest;                // both kNone: no items behind the prefix
  std::uint32_t least = 0;  // items
  std::uint32_t most = kUnbounded;
  std::uint32_t least_counted = 0;
  std::uint32_t most_counted = kUnbounded;
  // No two items are equal. The compiler's duty: each scalar in them has one text.
  bool unique = false;
  // Where unique: items may be objects or arrays, which are equal whatever the order of members and the
  // layout. The compiler's duty: they are JSON, and no key comes twice in them.
  bool containers = false;
  // Values that every item can have, at least; 0 where not containers: not counted, to be found out.
  std::uint32_t least_values = 0;
};

enum class LayoutKind : std::uint8_t { kCompact, kFree, kIndented };

struct Layout {
  LayoutKind kind = LayoutKind::kCompact;
  std::string unit = "  ";  // of indentation
  std::string newline = "\n";
};

struct Program {
  std::vector<Instruction> code;
  Pc start = 0;
  std::vector<Terminal> terminals;
  std::vector<TokenSetRule> token_sets;
  std::vector<Repeat> repeats;
  std::vector<ObjectRule> objects;
  std::vector<ArrayRule> arrays;
  Layout layout;
  bool of_json = false;  // texts are JSON documents, with values as terminals, objects and arrays
  // Of JSON: what is written with a fraction or an exponent is no integer, 1.0 neither (draft 4).
  bool integers_by_text = false;
};

}  // namespace emberline::grammar
