// Writes regular expressions that have something of everything into the directory that is its argument.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path directory(argv[1]);
  std::filesystem::create_directories(directory);
  constexpr std::string_view kPatterns[] = {
      "^[a-z0-9]+(?:-[a-z0-9]+)*$",
      "^(?!.*\\.\\.)(?=.*\\d)[\\w.-]{1,64}$",
      "\\bfoo\\B|^$|(?<name>a|b)*?c{2,}",
      "[^\\s\\S]|[]|[^]|\\p{Lu}\\P{L}|\\u{1F600}\\ud83d\\ude00\\x41\\cJ\\0",
      "(?:(?!ab).)*$|(a?){3}|(?=(?!x)y)",
      "^\\$\\{[^}]*\\}$|[\\w-.]|a{,2}|{}",
      "(a)\\1|\\k<n>|(?<=a)b|(?i:a)",
      "[\\u4e00-\\u9fff\\p{Script=Greek}]+",
  };
  int number = 0;
  for (const std::string_view pattern : kPatterns) {
    std::ofstream file(directory / ("seed" + std::to_string(number++)), std::ios::binary);
    file << pattern;
    if (!file.flush()) return 1;
  }
  return 0;
}
