// A directory of its own for a test, removed with all that is in it at the end of the scope.
#pragma once

#include <filesystem>
#include <random>
#include <string>
#include <system_error>

namespace emberline::testing {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::random_device random;
    do {
      path_ = std::filesystem::temp_directory_path() /
              ("emberline-" + std::to_string(random()) + std::to_string(random()));
    } while (!std::filesystem::create_directory(path_));
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;  // a test that failed to remove its files has failed already
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  // A path in the directory, in UTF-8.
  std::string file(const std::string& name) const {
    const std::u8string text =
        (path_ / std::filesystem::path(std::u8string(name.begin(), name.end()))).u8string();
    return {text.begin(), text.end()};
  }

 private:
  std::filesystem::path path_;
};

}  // namespace emberline::testing
