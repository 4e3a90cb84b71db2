// UTF-8 one code point at a time: reading, with every bound checked, and writing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace emberline {

enum class Utf8Sequence : std::uint8_t {
  kValid,       // a whole code point
  kIncomplete,  // valid so far, but the text ends inside it
  kInvalid,     // cannot be continued to a code point
};

struct Utf8Unit {
  Utf8Sequence sequence;
  // kValid: bytes of the code point (1..4). kIncomplete: all bytes left. kInvalid: the longest run of bytes
  // that begins a code point, at least 1: what a decoder replaces with one U+FFFD (Unicode 17, section 3.9,
  // "maximal subpart").
  std::uint8_t length;
  char32_t code_point;  // kValid only
};

// Reads the sequence at text[position]. Precondition: position < text.size(). Overlong forms, surrogates and
// values above U+10FFFF are invalid (Unicode 17, table 3-7).
Utf8Unit read_utf8(std::string_view text, std::size_t position);

// Whether a code point begins with `byte`, in valid UTF-8.
inline bool begins_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

// How many UTF-16 units `text` takes. Precondition: it is valid UTF-8.
std::size_t utf16_units(std::string_view text);

// Appends the bytes of `point`, at most U+10FFFF and no surrogate.
void append_utf8(std::string& out, char32_t point);

}  // namespace emberline
