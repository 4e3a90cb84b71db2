#include "addon/utf16.h"

#include <cstdint>

#include "base/utf8.h"

namespace emberline::addon {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

bool is_lead(std::uint32_t unit) {
  return (unit & 0xFC00) == 0xD800;
}
bool is_trail(std::uint32_t unit) {
  return (unit & 0xFC00) == 0xDC00;
}

}  // namespace

std::string utf8_from_utf16(std::u16string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint32_t unit = text[i];
    if (is_lead(unit) && i + 1 < text.size() && is_trail(text[i + 1])) {
      append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (static_cast<std::uint32_t>(text[++i]) - 0xDC00));
    } else {
      append_utf8(out, is_lead(unit) || is_trail(unit) ? kReplacement : unit);
    }
  }
  return out;
}

}  // namespace emberline::addon
