// Any bytes as a model file: they are read or refused, and what was read lies within them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "gguf/describe.h"
#include "gguf/gguf_file.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

bool contains(std::span<const std::uint8_t> outer, std::span<const std::uint8_t> inner) {
  return inner.empty() ||
         (inner.data() >= outer.data() && inner.data() + inner.size() <= outer.data() + outer.size());
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace emberline;
  const std::span<const std::uint8_t> bytes(data, size);
  const auto opened = GgufFile::from_bytes(bytes);
  if (!opened.ok()) {
    require(!opened.error().message().empty() && opened.error().message().size() < 1000);
    return 0;
  }
  const GgufFile& file = *opened.value();
  for (const GgufMetadata& entry : file.metadata()) {
    require(contains(bytes, bytes_of(entry.key)));
    require(file.find(entry.key) == &entry.value);
    require(describe(entry.value).size() < 2000);
    if (const GgufArray* const array = file.get_array(entry.key)) {
      require(contains(bytes, array->bytes));
      for (const std::string_view text : array->strings) require(contains(bytes, bytes_of(text)));
    }
  }
  for (const GgufTensor& tensor : file.tensors()) {
    require(contains(bytes, tensor.data));
    require(file.tensor(tensor.name) == &tensor);
    require(tensor.rank >= 1 && tensor.rank <= 4);
    require(tensor.data.empty() == (tensor_type_traits(tensor.type_id) == nullptr));
    require(reinterpret_cast<std::uintptr_t>(tensor.data.data()) % 8 == 0 || tensor.data.empty());
  }
  return 0;
}
