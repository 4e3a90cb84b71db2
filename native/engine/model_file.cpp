#include "engine/model_file.h"

#include <filesystem>
#include <system_error>

namespace emberline {

Result<std::unique_ptr<GgufFile>> open_model_file(const std::string& utf8_path, FolderUse use) {
  std::error_code ignored;  // opening says what is wrong
  const std::filesystem::path path(std::u8string(utf8_path.begin(), utf8_path.end()));
  if (std::filesystem::is_directory(path, ignored)) return open_model_folder(utf8_path, use);
  const bool is_part = utf8_path.ends_with(".safetensors") || utf8_path.ends_with(".safetensors.index.json");
  if (is_part && std::filesystem::exists(path, ignored)) {
    const std::size_t slash = utf8_path.find_last_of("/\\");
    return open_model_folder(slash == std::string::npos ? "." : utf8_path.substr(0, slash + 1), use);
  }
  return GgufFile::open(utf8_path);
}

}  // namespace emberline
