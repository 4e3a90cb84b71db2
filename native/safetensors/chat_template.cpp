#include "safetensors/chat_template.h"

#include <cstddef>

#include "base/mmap_file.h"
#include "safetensors/model_json.h"

namespace emberline {
namespace {

using grammar::Json;

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // as of GGUF files

std::optional<std::string> within_limit(std::string_view found) {
  if (found.size() > kMostBytes) return std::nullopt;
  return std::string(found);
}

std::optional<std::string_view> template_in(const Json& settings) {
  const Json* const member = settings.find("chat_template");
  std::optional<std::string_view> chosen = text(member);
  if (const Json* const several = array(member); several != nullptr) {
    for (const Json& one : several->items)
      if (text(one.find("name")) == "default") chosen = text(one.find("template"));
  }
  return chosen;
}

}  // namespace

Result<std::optional<std::string>> read_chat_template(const std::string& utf8_path, const Json& settings) {
  const Result<MappedFile> file = MappedFile::open(utf8_path);
  if (file.ok()) {
    const auto bytes = file.value().bytes();
    return within_limit({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  if (file.code() != ErrorCode::kFileNotFound) return file.error();
  const std::optional<std::string_view> found = template_in(settings);
  return found ? within_limit(*found) : std::nullopt;
}

}  // namespace emberline
