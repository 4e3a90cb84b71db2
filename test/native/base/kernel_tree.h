// Files as a Linux kernel writes them, in a tree of a test's own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "temporary_directory.h"

namespace emberline::testing {

class KernelTree : public ::testing::Test {
 protected:
  // A file of the tree, with the end of a line behind `text`.
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = directory_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path);
    file << text << '\n';
    ASSERT_TRUE(file.flush().good()) << path;
  }
  void remove(const std::string& name) {
    ASSERT_TRUE(std::filesystem::remove(directory_.path() / name)) << name;
  }
  std::string root() const { return directory_.path().string(); }

 private:
  TemporaryDirectory directory_;
};

}  // namespace emberline::testing
