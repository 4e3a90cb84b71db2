// Writes small GGUF files, each with other parts of the format, into the directory that is its argument.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "gguf_writer.h"

int main(int argc, char** argv) {
  using emberline::TensorType;
  using emberline::testing::GgufWriter;
  if (argc != 2) {
    std::fputs("usage: gguf_corpus DIRECTORY\n", stderr);
    return 2;
  }
  const std::filesystem::path directory(argv[1]);
  std::filesystem::create_directories(directory);

  const std::vector<GgufWriter> files = {
      GgufWriter(),
      GgufWriter(2).add("general.architecture", "llama"),
      GgufWriter()
          .add("u8", std::uint8_t{1})
          .add("i16", std::int16_t{-1})
          .add("u64", std::uint64_t{1})
          .add("b", true),
      GgufWriter().add("f32", 1e-5f).add("f64", 1e-5),
      GgufWriter()
          .add("strings", std::vector<std::string>{"a", "", "bc"})
          .add("i32s", std::vector<std::int32_t>{1, 2, 3}),
      GgufWriter().add_encoded("nested", 9,
                               {9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7}),
      GgufWriter().set_alignment(64).add_tensor("norm", {4}, {1.0f, 2.0f, 3.0f, 4.0f}),
      GgufWriter()
          .add_tensor("q", {32, 2}, TensorType::kQ4_1, std::vector<std::uint8_t>(40))
          .add_tensor("h", {2, 2}, TensorType::kF16, std::vector<std::uint8_t>(8)),
      GgufWriter().add_tensor("k", {256}, 14u, std::vector<std::uint8_t>(210)),
  };
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].write(directory / ("seed" + std::to_string(i)))) return 1;
  }
  return 0;
}
