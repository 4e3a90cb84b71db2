// Writes small grammars with every element of the syntax into the directory that is its argument.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path directory(argv[1]);
  std::filesystem::create_directories(directory);
  constexpr std::string_view kGrammars[] = {
      "root ::= \"a\\n\\x41\\u20ac\\U0001F600\\\"\" # comment\n",
      "root ::= [a-z\\]\\-] [^\\n\\t] .\n",
      "root ::= (\"a\" | \"b\"\n | x)+ [0-9]{2,4} \"c\"{3} \"d\"{1,} \"e\"{,2} \"f\"? \"g\"*\nx ::= \"y\"",
      "root ::= root \"+\" term | term\nterm ::= \"(\" root \")\" | [0-9]+",
      "root ::= a \"x\" | \"y\"\na ::= b? root \"z\" |\nb ::= \"b\" b | a",
      "root ::= <[17]> !<[3]>{2} <think> !</think>*",
      "root ::= \"{\" ws (s \":\" ws v (\",\" ws s \":\" ws v)*)? \"}\"\nv ::= root | s | \"[\" (v (\",\" "
      "v)*)? "
      "\"]\"\ns ::= \"\\\"\" ([^\"\\\\] | \"\\\\\" .){0,4000} \"\\\"\"\nws ::= [ \\t\\n]{0,20}",
      "root ::= [ab]* \"a\" [ab]{12} root | \"c\"{70000}",
  };
  int number = 0;
  for (const std::string_view grammar : kGrammars) {
    std::ofstream file(directory / ("seed" + std::to_string(number++)), std::ios::binary);
    file << grammar;
    if (!file.flush()) return 1;
  }
  return 0;
}
