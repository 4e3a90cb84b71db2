// Any bytes as text: the tokens spell it again, with each pre-tokenizer and whether or not special tokens are
// read; streamed to a reader they are valid UTF-8. The first byte of the input chooses.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gguf/gguf_file.h"
#include "small_vocabulary.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/utf8_stream.h"

namespace {

using emberline::Tokenizer;

void require(bool condition) {
  if (!condition) std::abort();
}

std::unique_ptr<Tokenizer> make_tokenizer(const emberline::testing::GgufWriter& writer) {
  const std::vector<std::uint8_t> bytes = writer.bytes();
  const auto file = emberline::GgufFile::from_bytes(bytes);
  require(file.ok());
  auto tokenizer = Tokenizer::from_gguf(*file.value());
  require(tokenizer.ok());
  return std::move(tokenizer).value();
}

// One a way to split, and SentencePiece's two models'.
std::vector<std::unique_ptr<Tokenizer>> make_tokenizers() {
  std::vector<std::unique_ptr<Tokenizer>> made;
  for (const std::string_view pre : emberline::testing::kSplitNames) {
    made.push_back(make_tokenizer(emberline::testing::small_vocabulary(pre)));
  }
  for (const std::string_view model : {"llama", "t5"})
    made.push_back(make_tokenizer(emberline::testing::small_pieces(model)));
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::unique_ptr<Tokenizer>> tokenizers = make_tokenizers();
  if (size == 0) return 0;
  const Tokenizer& tokenizer = *tokenizers[(data[0] >> 1) % tokenizers.size()];
  const bool parse_special = (data[0] & 1) != 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);

  const std::vector<emberline::TokenId> ids = tokenizer.encode(text, parse_special);
  require(ids.size() <= text.size());
  require(tokenizer.decode(ids) == text);

  emberline::Utf8Stream stream;
  std::string piecewise;
  for (const emberline::TokenId id : ids) piecewise += stream.feed(tokenizer.bytes(id));
  require(piecewise == emberline::Utf8Stream().feed(text));
  return 0;
}
