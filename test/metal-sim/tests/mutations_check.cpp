#include "mutations_check.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "temporary_directory.h"

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

// The kernels of metal/<kernel>.metal, with the edits applied.
Result<Library> compile_edited(const std::string& kernel, const std::vector<Edit>& edits) {
  const fs::path root = EMBERLINE_SOURCE_DIR;
  const testing::TemporaryDirectory folder;
  for (const auto& entry : fs::directory_iterator(root / "metal")) {
    fs::copy_file(entry.path(), folder.path() / entry.path().filename());
  }
  for (const Edit& edit : edits) {
    const fs::path file = folder.path() / edit.file;
    std::string text = read_file(file);
    EXPECT_GT(replace(text, edit.from, edit.to), 0) << edit.from << " does not stand in " << edit.file;
    std::ofstream(file, std::ios::binary) << text;
  }
  return compile("#include \"" + kernel + ".metal\"\n",
                 {.include_folders = {folder.path().string(), (root / "native/device").string(),
                                      (root / "native/sampling").string()}});
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
