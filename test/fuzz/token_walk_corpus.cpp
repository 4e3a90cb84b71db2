// Writes walks (walk_input.h) through small grammars and schemas into the directory that is its argument.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "gbnf_seeds.h"
#include "schema_seeds.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path directory(argv[1]);
  std::filesystem::create_directories(directory);
  constexpr std::string_view kMoves[] = {
      "t\x10t\x50t\x90"
      "f?t\xD0sst\x20r0b1t\x60t\xA0ssr1t\xE0r2t\x30t\x70",
      "f?t\xF0"
      "f?t\xF0"
      "f?t\x80ssf?r1t\xF0"
      "f?t\xF0r3t\xC0"
      "b2f?t\x80t\x40t\x40t\xF0",
  };
  int number = 0;
  const auto write = [&](char kind, std::string_view grammar) {
    for (const std::string_view moves : kMoves) {
      std::ofstream file(directory / ("seed" + std::to_string(number++)), std::ios::binary);
      file << kind << grammar << '\0' << moves;
      if (!file.flush()) return false;
    }
    return true;
  };
  for (const std::string_view grammar : emberline::testing::kGbnfSeeds) {
    if (!write('0', grammar) || !write('8', grammar)) return 1;
  }
  for (const std::string_view schema : emberline::testing::kSchemaSeeds) {
    for (const char layout : {'1', '2', '3', '?'}) {
      if (!write(layout, schema)) return 1;
    }
  }
  return 0;
}
