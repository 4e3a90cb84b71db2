// Writes small SafeTensors files into the directory that is its argument.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: safetensors_corpus DIRECTORY\n", stderr);
    return 2;
  }
  const std::filesystem::path directory(argv[1]);
  std::filesystem::create_directories(directory);
  const struct {
    std::string header;
    std::size_t data;
  } files[] = {
      {"{}", 0},
      {R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}  )", 4},
      {R"({"b":{"dtype":"BF16","shape":[2,3],"data_offsets":[4,16]},"a":{"dtype":"U32","shape":[1],)"
       R"("data_offsets":[0,4]},"c":{"dtype":"U8","shape":[0,7],"data_offsets":[4,4]}})",
       16},
  };
  int number = 0;
  for (const auto& [header, data] : files) {
    const std::uint64_t length = header.size();
    std::ofstream stream(directory / ("seed" + std::to_string(number++)), std::ios::binary);
    stream.write(reinterpret_cast<const char*>(&length), sizeof length);
    stream << header << std::string(data, '\1');
    if (!stream.flush()) return 1;
  }
  return 0;
}
