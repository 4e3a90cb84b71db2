#include "safetensors/model_json.h"

#include <charconv>
#include <locale>
#include <sstream>

#include "grammar/json/json_reader.h"

namespace emberline {

using grammar::Json;
using grammar::JsonKind;

Result<Json> read_model_json(std::span<const std::uint8_t> bytes, const std::string& name,
                             std::size_t values) {
  constexpr std::uint32_t kDepth = 64;
  const std::string_view document(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Result<Json> read = grammar::read_json(document, {kDepth, values});
  if (!read.ok()) {
    return Status(ErrorCode::kModelCorrupt,
                  name + " of the model is damaged; download it again. " + read.error().message());
  }
  if (!read.value().is(JsonKind::kObject)) {
    return Status(ErrorCode::kModelCorrupt, name + " of the model holds no JSON object; download it again.");
  }
  return read;
}

std::optional<std::uint64_t> whole_number(const Json* value) {
  if (value == nullptr || !value->is(JsonKind::kNumber)) return std::nullopt;
  const char* const end = value->text.data() + value->text.size();
  std::uint64_t number = 0;
  const auto [behind, error] = std::from_chars(value->text.data(), end, number);
  return error == std::errc() && behind == end ? std::optional<std::uint64_t>(number) : std::nullopt;
}

std::optional<double> real_number(const Json* value) {
  if (value == nullptr || !value->is(JsonKind::kNumber)) return std::nullopt;
  // Not from_chars, which some standard libraries lack for floats.
  std::istringstream stream(value->text);
  stream.imbue(std::locale::classic());
  double number = 0;
  return stream >> number ? std::optional<double>(number) : std::nullopt;
}

std::optional<bool> boolean(const Json* value) {
  if (value == nullptr || !value->boolean()) return std::nullopt;
  return value->is(JsonKind::kTrue);
}

std::optional<std::string_view> text(const Json* value) {
  if (value == nullptr || !value->is(JsonKind::kString)) return std::nullopt;
  return value->text;
}

const Json* object(const Json* value) {
  return value != nullptr && value->is(JsonKind::kObject) ? value : nullptr;
}

const Json* array(const Json* value) {
  return value != nullptr && value->is(JsonKind::kArray) ? value : nullptr;
}

}  // namespace emberline
