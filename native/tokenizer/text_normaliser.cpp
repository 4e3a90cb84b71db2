#include "tokenizer/text_normaliser.h"

#include <algorithm>

#include "base/utf8.h"

namespace emberline {
namespace {

// A unit of the double array.
constexpr std::uint32_t label_of(std::uint32_t unit) {
  return unit & 0x800000FFu;  // of a unit that is a value, none of a byte
}
constexpr bool has_value(std::uint32_t unit) {
  return (unit >> 8 & 1) != 0;
}
constexpr std::uint32_t offset_of(std::uint32_t unit) {
  return unit >> 10 << ((unit & 0x200u) >> 6);
}
constexpr std::uint32_t value_of(std::uint32_t unit) {
  return unit & 0x7FFFFFFFu;
}

std::uint32_t read_u32(const std::uint8_t* bytes) {
  return bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
         std::uint32_t{bytes[3]} << 24;
}

// In bytes. NFKC's longest has 33; what is longer would make a short text a large one.
constexpr std::size_t kLongestReplacement = 256;
// Strings of NFKC are a few characters. A damaged double array may go round in circles, and would be followed
// to the end of the text from each place in it.
constexpr std::size_t kLongestMatch = 256;

Status no_charsmap() {
  return {ErrorCode::kModelMetadataInvalid,
          "The model file's \"tokenizer.ggml.precompiled_charsmap\" is no map of strings; convert the model "
          "again or download it anew."};
}

}  // namespace

Result<TextNormaliser> TextNormaliser::make(std::span<const std::uint8_t> charsmap,
                                            bool removes_extra_spaces) {
  TextNormaliser normaliser;
  normaliser.removes_extra_spaces_ = removes_extra_spaces;
  if (charsmap.empty()) return normaliser;
  constexpr std::size_t kUnit = 4;
  const std::size_t left = charsmap.size() < kUnit ? 0 : charsmap.size() - kUnit;
  const std::size_t size = charsmap.size() < kUnit ? 0 : read_u32(charsmap.data());
  if (size == 0 || size > left || size % kUnit != 0 || (size < left && charsmap.back() != 0))
    return no_charsmap();
  for (std::size_t at = kUnit; at < kUnit + size; at += kUnit)
    normaliser.units_.push_back(read_u32(charsmap.data() + at));
  std::size_t length = 0;
  for (const std::uint8_t byte : charsmap.subspan(kUnit + size)) {
    normaliser.replacements_.push_back(static_cast<char>(byte));
    length = byte == 0 ? 0 : length + 1;
    if (length > kLongestReplacement) return no_charsmap();
  }
  return normaliser;
}

TextNormaliser::Match TextNormaliser::longest_match(std::string_view text) const {
  Match longest;
  if (units_.empty()) return longest;
  std::uint32_t at = offset_of(units_[0]);
  for (std::size_t length = 1; length <= std::min(text.size(), kLongestMatch); ++length) {
    const auto byte = static_cast<std::uint8_t>(text[length - 1]);
    at ^= byte;
    if (at >= units_.size() || label_of(units_[at]) != byte) return longest;
    const std::uint32_t unit = units_[at];
    at ^= offset_of(unit);
    if (!has_value(unit) || at >= units_.size()) continue;
    const std::uint32_t start = value_of(units_[at]);
    if (start >= replacements_.size()) continue;
    longest = {length, std::string_view(replacements_.c_str() + start)};
  }
  return longest;
}

std::string TextNormaliser::normalised(std::string_view text) const {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const Match match = longest_match(text);
    const Utf8Unit unit = read_utf8(text, 0);
    const std::size_t character = unit.sequence == Utf8Sequence::kValid ? unit.length : 1;
    const std::string_view taken = match.length > 0 ? match.replacement : text.substr(0, character);
    for (const char c : taken) {
      if (removes_extra_spaces_ && c == ' ' && out.ends_with(' ')) continue;
      out.push_back(c);
    }
    text.remove_prefix(match.length > 0 ? match.length : character);
  }
  return out;
}

}  // namespace emberline
