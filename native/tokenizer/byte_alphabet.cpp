#include "tokenizer/byte_alphabet.h"

#include <array>
#include <cstdint>

#include "base/utf8.h"

namespace emberline {
namespace {

constexpr char32_t kAlphabetEnd = 0x144;
constexpr std::int16_t kNotInAlphabet = -1;

constexpr std::array<std::int16_t, kAlphabetEnd> make_byte_of_character() {
  std::array<std::int16_t, kAlphabetEnd> byte_of{};
  for (auto& byte : byte_of) byte = kNotInAlphabet;
  std::size_t substitute = 0x100;
  for (std::int16_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    byte_of[printable ? static_cast<std::size_t>(byte) : substitute++] = byte;
  }
  return byte_of;
}
constexpr auto kByteOfCharacter = make_byte_of_character();

}  // namespace

bool append_spelled_bytes(std::string_view spelling, std::string& out) {
  const std::size_t old_size = out.size();
  out.resize(old_size + spelling.size());  // no character stands for more bytes than it has
  char* next = out.data() + old_size;
  for (std::size_t position = 0; position < spelling.size();) {
    if (spelling[position] >= '!' && spelling[position] <= '~') {  // most are, and they stand for themselves
      *next++ = spelling[position++];
      continue;
    }
    const Utf8Unit unit = read_utf8(spelling, position);
    const bool known = unit.sequence == Utf8Sequence::kValid && unit.code_point < kAlphabetEnd &&
                       kByteOfCharacter[unit.code_point] != kNotInAlphabet;
    if (!known) {
      out.resize(old_size);
      return false;
    }
    *next++ = static_cast<char>(kByteOfCharacter[unit.code_point]);
    position += unit.length;
  }
  out.resize(static_cast<std::size_t>(next - out.data()));
  return true;
}

}  // namespace emberline
