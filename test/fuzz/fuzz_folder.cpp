// Any texts as config.json and tokenizer.json: they become metadata or are refused, and a tokenizer that is
// built from them works on text without harm. A zero byte ends the first of the two.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "grammar/json/json_value.h"
#include "safetensors/config_metadata.h"
#include "safetensors/gguf_terms.h"
#include "safetensors/model_json.h"
#include "safetensors/tokenizer_metadata.h"
#include "tokenizer/tokenizer.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace emberline;
  const std::uint8_t* const zero = std::find(data, data + size, 0);
  const auto first = static_cast<std::size_t>(zero - data);
  const auto config = read_model_json({data, first}, "config.json", 10'000);
  if (!config.ok()) {
    require(!config.error().message().empty());
    return 0;
  }
  GgufTerms terms;
  const auto read = read_config(config.value(), terms);
  if (!read.ok()) require(!read.error().message().empty());
  // What ends a text is no matter of the rest.
  const FolderConfig usable = read.ok() ? read.value() : FolderConfig{};
  if (first == size) return 0;
  const auto tokenizer = read_model_json({zero + 1, size - first - 1}, "tokenizer.json", 10'000);
  if (!tokenizer.ok()) return 0;
  GgufTerms text;
  if (!read_tokenizer_json(tokenizer.value(), config.value(), usable, text).ok()) return 0;
  const auto file = std::move(text).file({});
  require(file.ok());
  const auto made = Tokenizer::from_gguf(*file.value());
  if (!made.ok()) {
    require(!made.error().message().empty() && made.error().message().size() < 1000);
    return 0;
  }
  for (const TokenId id :
       made.value()->encode("int  main() {\r\n\treturn 123; // it's \u00e9t\u00e9\n}<|end|>\xff", true))
    require(id < made.value()->vocabulary_size());
  return 0;
}
