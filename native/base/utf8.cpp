#include "base/utf8.h"

namespace emberline {

Utf8Unit read_utf8(std::string_view text, std::size_t position) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[position + i]); };
  const std::size_t left = text.size() - position;
  const unsigned lead = byte(0);
  if (lead < 0x80) return {Utf8Sequence::kValid, 1, lead};

  unsigned length = 0;
  // The range of the second byte is narrower after four leads: that is what rules out overlong forms,
  // surrogates and the rest.
  unsigned second_low = 0x80;
  unsigned second_high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) second_low = 0xA0;
    if (lead == 0xED) second_high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) second_low = 0x90;
    if (lead == 0xF4) second_high = 0x8F;
  } else {
    return {Utf8Sequence::kInvalid, 1, 0};
  }

  char32_t code_point = lead & (0x7Fu >> length);
  for (unsigned i = 1; i < length; ++i) {
    if (i == left) return {Utf8Sequence::kIncomplete, static_cast<std::uint8_t>(i), 0};
    const unsigned next = byte(i);
    const unsigned low = i == 1 ? second_low : 0x80;
    const unsigned high = i == 1 ? second_high : 0xBF;
    if (next < low || next > high) return {Utf8Sequence::kInvalid, static_cast<std::uint8_t>(i), 0};
    code_point = (code_point << 6) | (next & 0x3F);
  }
  return {Utf8Sequence::kValid, static_cast<std::uint8_t>(length), code_point};
}

// A character has a unit for the byte that begins it, and one more where it takes four bytes.
std::size_t utf16_units(std::string_view text) {
  std::size_t units = 0;
  for (const char each : text) {
    units += (begins_code_point(each) ? 1 : 0) + (static_cast<unsigned char>(each) >= 0xF0 ? 1 : 0);
  }
  return units;
}

void append_utf8(std::string& out, char32_t point) {
  const auto push = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    push(point);
  } else if (point < 0x800) {
    push(0xC0 | (point >> 6));
    push(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    push(0xE0 | (point >> 12));
    push(0x80 | ((point >> 6) & 0x3F));
    push(0x80 | (point & 0x3F));
  } else {
    push(0xF0 | (point >> 18));
    push(0x80 | ((point >> 12) & 0x3F));
    push(0x80 | ((point >> 6) & 0x3F));
    push(0x80 | (point & 0x3F));
  }
}

}  // namespace emberline
