// Writes small schemas into the directory that is its argument.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "schema_seeds.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path directory(argv[1]);
  std::filesystem::create_directories(directory);
  int number = 0;
  for (const std::string_view schema : emberline::testing::kSchemaSeeds) {
    std::ofstream file(directory / ("seed" + std::to_string(number++)), std::ios::binary);
    file << schema;
    if (!file.flush()) return 1;
  }
  return 0;
}
