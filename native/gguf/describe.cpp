#include "gguf/describe.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <span>
#include <type_traits>
#include <variant>

#include "base/utf8.h"

namespace emberline {
namespace {

constexpr std::uint64_t kShownElements = 6;
constexpr std::size_t kShownStringBytes = 24;

std::string hex_escape(unsigned char byte) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  return {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

// A number with as many digits as tell it from its neighbours, in any locale.
template <typename T>
std::string number_text(T value) {
  std::array<char, 32> digits;
  const std::to_chars_result end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end.ptr};
}

template <typename T>
std::string element_text(std::span<const std::uint8_t> bytes, std::uint64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  if constexpr (sizeof(T) == 1)
    return std::to_string(value);
  else
    return number_text(value);
}

std::string element_text(const GgufArray& array, std::uint64_t index) {
  switch (array.element_type) {
    case GgufType::kU8: return element_text<std::uint8_t>(array.bytes, index);
    case GgufType::kI8: return element_text<std::int8_t>(array.bytes, index);
    case GgufType::kU16: return element_text<std::uint16_t>(array.bytes, index);
    case GgufType::kI16: return element_text<std::int16_t>(array.bytes, index);
    case GgufType::kU32: return element_text<std::uint32_t>(array.bytes, index);
    case GgufType::kI32: return element_text<std::int32_t>(array.bytes, index);
    case GgufType::kU64: return element_text<std::uint64_t>(array.bytes, index);
    case GgufType::kI64: return element_text<std::int64_t>(array.bytes, index);
    case GgufType::kF32: return element_text<float>(array.bytes, index);
    case GgufType::kF64: return element_text<double>(array.bytes, index);
    case GgufType::kBool: return array.bytes[static_cast<std::size_t>(index)] != 0 ? "true" : "false";
    case GgufType::kString: return quoted(array.strings[static_cast<std::size_t>(index)], kShownStringBytes);
    case GgufType::kArray: return "[...]";
  }
  return "?";
}

std::string array_text(const GgufArray& array) {
  const bool counted = array.element_type == GgufType::kString || array.element_type == GgufType::kArray;
  std::string text(1, '[');
  text.append(std::to_string(array.count)).append(" ").append(gguf_type_name(array.element_type));
  if (counted && array.count != 1) text.append("s");
  const std::uint64_t shown = std::min(array.count, kShownElements);
  for (std::uint64_t i = 0; i < shown; ++i) text.append(i == 0 ? ": " : ", ").append(element_text(array, i));
  return text.append(shown < array.count ? ", ...]" : "]");
}

}  // namespace

std::string quoted(std::string_view text, std::size_t max_bytes) {
  std::string result = "\"";
  std::size_t position = 0;
  while (position < text.size()) {
    const Utf8Unit unit = read_utf8(text, position);
    const bool valid = unit.sequence == Utf8Sequence::kValid;
    const std::size_t length = valid ? unit.length : 1;
    if (position + length > max_bytes) return result + "\"...";
    const char first = text[position];
    if (length == 1 && (first == '"' || first == '\\'))
      result += {'\\', first};
    else if (first == '\n')
      result += "\\n";
    else if (first == '\r')
      result += "\\r";
    else if (first == '\t')
      result += "\\t";
    else if (!valid || (length == 1 && (first < 0x20 || first == 0x7F)))
      result += hex_escape(static_cast<unsigned char>(first));
    else
      result += text.substr(position, length);
    position += length;
  }
  return result + "\"";
}

std::string describe(const GgufValue& value) {
  return std::visit(
      [&](const auto& held) -> std::string {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, bool>)
          return held ? "true" : "false";
        else if constexpr (std::is_same_v<Held, std::string_view>)
          return quoted(held, 200);
        else if constexpr (std::is_same_v<Held, GgufArray>)
          return array_text(held);
        else if constexpr (std::is_same_v<Held, double>)
          return value.type == GgufType::kF32 ? number_text(static_cast<float>(held)) : number_text(held);
        else
          return std::to_string(held);
      },
      value.value);
}

const char* gguf_type_name(GgufType type) {
  switch (type) {
    case GgufType::kU8: return "u8";
    case GgufType::kI8: return "i8";
    case GgufType::kU16: return "u16";
    case GgufType::kI16: return "i16";
    case GgufType::kU32: return "u32";
    case GgufType::kI32: return "i32";
    case GgufType::kF32: return "f32";
    case GgufType::kBool: return "bool";
    case GgufType::kString: return "string";
    case GgufType::kArray: return "array";
    case GgufType::kU64: return "u64";
    case GgufType::kI64: return "i64";
    case GgufType::kF64: return "f64";
  }
  return "unknown";
}

std::string tensor_type_name(std::uint32_t id) {
  const char* const name = ggml_type_name(id);
  return name != nullptr ? name : std::string("type ").append(std::to_string(id));
}

std::string shape_text(const GgufTensor& tensor) {
  std::string text = std::to_string(tensor.shape[0]);
  for (std::uint32_t i = 1; i < tensor.rank; ++i) text.append("x").append(std::to_string(tensor.shape[i]));
  return text;
}

}  // namespace emberline
