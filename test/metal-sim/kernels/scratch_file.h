// A file that goes when its owner does.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace emberline::metal_sim {

// Files are apart in all processes and threads.
class ScratchFile {
 public:
  ScratchFile(const std::filesystem::path& folder, const std::string& suffix) {
    static std::atomic<unsigned> count = 0;
    std::error_code ignored;  // writing will tell
    std::filesystem::create_directories(folder, ignored);
    path_ = folder / (std::to_string(getpid()) + "." + std::to_string(count++) + suffix);
  }
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  bool write(std::string_view text) const {
    std::ofstream out(path_, std::ios::binary);
    out << text;
    return static_cast<bool>(out.flush());
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace emberline::metal_sim
