// Any bytes as a model file whose tokenizer is built: it is refused, or it works on text without harm.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "gguf/gguf_file.h"
#include "tokenizer/tokenizer.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace emberline;
  const auto file = GgufFile::from_bytes({data, size});
  if (!file.ok()) return 0;
  const auto made = Tokenizer::from_gguf(*file.value());
  if (!made.ok()) {
    require(!made.error().message().empty());
    return 0;
  }
  const Tokenizer& tokenizer = *made.value();
  constexpr std::string_view kText = "int  main() {\r\n\treturn 123; // it's \u00e9t\u00e9\n}<|end|>\xff";
  for (const bool parse_special : {false, true}) {
    const std::vector<TokenId> ids = tokenizer.encode(kText, parse_special);
    for (const TokenId id : ids) require(id < tokenizer.vocabulary_size());
    static_cast<void>(tokenizer.decode(ids));
  }
  for (TokenId id = 0; id <= tokenizer.vocabulary_size(); ++id) {
    static_cast<void>(tokenizer.bytes(id));
    static_cast<void>(tokenizer.kind(id));
    static_cast<void>(tokenizer.ends_generation(id));
  }
  require(tokenizer.tokens_starting_with("").size() == tokenizer.sorted_by_bytes().size());
  for (const TokenId id : tokenizer.tokens_starting_with("in"))
    require(tokenizer.bytes(id).starts_with("in"));
  require(tokenizer.bos() == kNoToken || tokenizer.bos() < tokenizer.vocabulary_size());
  require(tokenizer.eos() == kNoToken || tokenizer.eos() < tokenizer.vocabulary_size());
  return 0;
}
