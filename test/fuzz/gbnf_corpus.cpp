// Writes small grammars into the directory that is its argument.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "gbnf_seeds.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path directory(argv[1]);
  std::filesystem::create_directories(directory);
  int number = 0;
  for (const std::string_view grammar : emberline::testing::kGbnfSeeds) {
    std::ofstream file(directory / ("seed" + std::to_string(number++)), std::ios::binary);
    file << grammar;
    if (!file.flush()) return 1;
  }
  return 0;
}
