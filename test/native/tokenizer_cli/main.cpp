// The tokenizer as a program, for the conformance tests that compare it with another implementation.
//
//   tokenizer_cli MODEL [--special] < requests > replies
//
// MODEL is a GGUF file or a folder with config.json and tokenizer.json.
//
// A request is a u32 length and that many bytes of text; its reply is a u32 count and that many u32 token
// ids. All numbers are in the machine's byte order. Ends at the end of its input.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

#include "gguf/gguf_file.h"
#include "safetensors/model_folder.h"
#include "tokenizer/tokenizer.h"

namespace {

// Zero bytes may come with a null pointer, which the C functions must not be given.
bool read_exactly(void* data, std::size_t size) {
  return size == 0 || std::fread(data, 1, size, stdin) == size;
}
bool write_exactly(const void* data, std::size_t size) {
  return size == 0 || std::fwrite(data, 1, size, stdout) == size;
}

int fail(const emberline::Status& error) {
  std::fprintf(stderr, "%s: %s\n", emberline::code_name(error.code()), error.message().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool special = argc == 3 && std::string_view(argv[2]) == "--special";
  if (argc < 2 || argc > 3 || (argc == 3 && !special)) {
    std::fputs("usage: tokenizer_cli MODEL [--special] < requests > replies\n", stderr);
    return 2;
  }
#ifdef _WIN32
  _setmode(_fileno(stdin), _O_BINARY);
  _setmode(_fileno(stdout), _O_BINARY);
#endif
  std::error_code ignored;
  auto file = std::filesystem::is_directory(argv[1], ignored)
                  ? emberline::open_model_folder(argv[1], emberline::FolderUse::kLook)
                  : emberline::GgufFile::open(argv[1]);
  if (!file.ok()) return fail(file.error());
  auto tokenizer = emberline::Tokenizer::from_gguf(*file.value());
  if (!tokenizer.ok()) return fail(tokenizer.error());

  std::uint32_t length = 0;
  std::string text;
  while (read_exactly(&length, sizeof length)) {
    text.resize(length);
    if (!read_exactly(text.data(), length)) return 1;
    const std::vector<emberline::TokenId> ids = tokenizer.value()->encode(text, special);
    const auto count = static_cast<std::uint32_t>(ids.size());
    if (!write_exactly(&count, sizeof count) || !write_exactly(ids.data(), count * sizeof ids[0])) return 1;
  }
  return 0;
}
