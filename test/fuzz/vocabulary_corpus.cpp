// Writes small model files with nothing but a tokenizer into the directory that is its argument.
#include <filesystem>
#include <string>
#include <string_view>

#include "small_vocabulary.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path directory(argv[1]);
  std::filesystem::create_directories(directory);
  for (const std::string_view pre_tokenizer : emberline::testing::kSplitNames) {
    const auto writer = emberline::testing::small_vocabulary(pre_tokenizer);
    if (!writer.write(directory / ("seed-" + std::string(pre_tokenizer)))) return 1;
  }
  if (!emberline::testing::small_normalising_pieces().write(directory / "seed-t5")) return 1;
  return emberline::testing::small_pieces().write(directory / "seed-llama") ? 0 : 1;
}
