#include "engine/packed_copy_path.h"

#include <cstdio>

namespace emberline {

std::string packed_copy_path(const std::string& folder, const std::string& model_path,
                             const FileIdentity& identity) {
  if (folder.empty()) return "";
  const std::size_t slash = model_path.find_last_of("/\\");
  const std::string name = slash == std::string::npos ? model_path : model_path.substr(slash + 1);
  char numbers[64];
  std::snprintf(
      numbers, sizeof numbers, "-%llx-%llx-%llx.packed", static_cast<unsigned long long>(identity.bytes),
      static_cast<unsigned long long>(identity.modified), static_cast<unsigned long long>(identity.file));
  // A name of at most 255 bytes, which file systems take: a stem that is cut in two need not be readable.
  return folder + "/" + name.substr(0, name.rfind('.')).substr(0, 128) + numbers;
}

}  // namespace emberline
