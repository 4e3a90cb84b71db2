#include "engine/packed_copy_path.h"

#include <algorithm>
#include <cstdio>

namespace emberline {
namespace {

// Of a stem: with the numbers, a name of at most 255 bytes, which file systems take.
constexpr std::size_t kMostBytes = 128;

// Where a long stem is cut: some file systems take no name that ends within a character.
std::size_t cut_of(const std::string& stem) {
  std::size_t bytes = std::min(stem.size(), kMostBytes);
  if (bytes == stem.size()) return bytes;
  while (bytes > 0 && (static_cast<unsigned char>(stem[bytes]) & 0xC0) == 0x80) --bytes;
  return bytes;
}

}  // namespace

std::string packed_copy_path(const std::string& folder, const std::string& model_path,
                             const FileIdentity& identity) {
  if (folder.empty()) return "";
  const std::size_t slash = model_path.find_last_of("/\\");
  const std::string name = slash == std::string::npos ? model_path : model_path.substr(slash + 1);
  char numbers[64];
  std::snprintf(
      numbers, sizeof numbers, "-%llx-%llx-%llx.packed", static_cast<unsigned long long>(identity.bytes),
      static_cast<unsigned long long>(identity.modified), static_cast<unsigned long long>(identity.file));
  const std::string stem = name.substr(0, name.rfind('.'));
  return folder + "/" + stem.substr(0, cut_of(stem)) + numbers;
}

}  // namespace emberline
