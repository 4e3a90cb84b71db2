// Writes short texts, one a way to split them, into the directory that is its argument.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "small_vocabulary.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path directory(argv[1]);
  std::filesystem::create_directories(directory);
  constexpr std::string_view kTexts[] = {
      "int  main() {\r\n    return 12345;\n}\n\n",
      "it's  we'LL 3.14 e\u0301te\u0301 \u00e9t\u00e9",
      "\u4f60\u597d, \U0001F468\u200D\U0001F469\u200D\U0001F467 \u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35",
      "<|end|><|user|> <|en",
      "\t\t \u00a0\u2003x\u3000\n \n  ",
      "\xff\xc3(\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82",
  };
  int number = 0;
  for (const std::string_view text : kTexts) {
    for (char way = 0; way < static_cast<char>(2 * std::size(emberline::testing::kSplitNames) + 2); ++way) {
      std::ofstream file(directory / ("seed" + std::to_string(number++)), std::ios::binary);
      file << way << text;
      if (!file.flush()) return 1;
    }
  }
  return 0;
}
