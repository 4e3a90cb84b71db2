#include "addon/utf16.h"

#include <cstdint>

namespace emberline::addon {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

bool is_lead(std::uint32_t unit) {
  return (unit & 0xFC00) == 0xD800;
}
bool is_trail(std::uint32_t unit) {
  return (unit & 0xFC00) == 0xDC00;
}

void append(std::string& out, std::uint32_t point) {
  const auto push = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
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

}  // namespace

std::string utf8_from_utf16(std::u16string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint32_t unit = text[i];
    if (is_lead(unit) && i + 1 < text.size() && is_trail(text[i + 1])) {
      append(out, 0x10000 + ((unit - 0xD800) << 10) + (static_cast<std::uint32_t>(text[++i]) - 0xDC00));
    } else {
      append(out, is_lead(unit) || is_trail(unit) ? kReplacement : unit);
    }
  }
  return out;
}

}  // namespace emberline::addon
