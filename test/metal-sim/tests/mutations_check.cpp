#include "mutations_check.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace emberline::metal_sim {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Replaces every `from`; how often it stood there.
int replace(std::string& text, const std::string& from, const std::string& to) {
  int found = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
    ++found;
  }
  return found;
}

// The text of `file` with the headers it includes in their places, each once, and the edits applied: the same
// text in every run, so that what was compiled before is found in the cache.
class EditedSource {
 public:
  explicit EditedSource(const std::vector<Edit>& edits) : edits_(edits), found_(edits.size(), 0) {}

  std::string joined(const std::string& file) {
    if (!seen_.insert(file).second) return "";
    std::istringstream lines(edited(file));
    std::string text;
    for (std::string line; std::getline(lines, line);) {
      constexpr std::string_view kInclude = "#include \"";
      if (line.starts_with(kInclude)) {
        text += joined(line.substr(kInclude.size(), line.rfind('"') - kInclude.size()));
      } else if (line != "#pragma once") {
        text += line + "\n";
      }
    }
    return text;
  }

  void expect_every_edit_found() const {
    for (std::size_t i = 0; i < edits_.size(); ++i) {
      EXPECT_GT(found_[i], 0) << edits_[i].from << " does not stand in " << edits_[i].file;
    }
  }

 private:
  std::string edited(const std::string& file) {
    std::string text;
    for (const char* folder : {"metal", "native/device", "native/sampling"}) {
      const fs::path path = fs::path(EMBERLINE_SOURCE_DIR) / folder / file;
      if (text.empty() && fs::exists(path)) text = read_file(path);
    }
    EXPECT_FALSE(text.empty()) << file << " is not there";
    for (std::size_t i = 0; i < edits_.size(); ++i) {
      if (file == edits_[i].file) found_[i] += replace(text, edits_[i].from, edits_[i].to);
    }
    return text;
  }

  const std::vector<Edit>& edits_;
  std::vector<int> found_;
  std::set<std::string> seen_;
};

// The kernels of metal/<kernel>.metal, with the edits applied.
Result<Library> compile_edited(const std::string& kernel, const std::vector<Edit>& edits) {
  EditedSource source(edits);
  const std::string text = source.joined(kernel + ".metal");
  source.expect_every_edit_found();
  return compile(text);
}

}  // namespace

void expect_every_fault_caught(const Subject& subject) {
  const Result<Library> sound = compile_edited(subject.kernel, subject.narrowed);
  ASSERT_TRUE(sound.ok()) << sound.error().message();
  ASSERT_TRUE(subject.is_right(sound.value())) << "without a fault";
  for (const Mutation& mutation : subject.mutations) {
    std::vector<Edit> edits = subject.narrowed;
    edits.push_back(mutation.edit);
    const Result<Library> faulty = compile_edited(subject.kernel, edits);
    ASSERT_TRUE(faulty.ok()) << mutation.name << ": " << faulty.error().message();
    EXPECT_FALSE(subject.is_right(faulty.value())) << mutation.name << " was not noticed";
  }
}

}  // namespace emberline::metal_sim
