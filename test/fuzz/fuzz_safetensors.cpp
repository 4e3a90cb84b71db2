// Any bytes as a SafeTensors file: they are read or refused, and what was read lies within them and apart.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "safetensors/safetensors_header.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace emberline;
  const std::span<const std::uint8_t> bytes(data, size);
  const auto read = read_safetensors(bytes, "model.safetensors");
  if (!read.ok()) {
    require(!read.error().message().empty() && read.error().message().size() < 1000);
    return 0;
  }
  std::size_t total = 0;
  const std::uint8_t* end = data;
  for (const SafetensorsTensor& tensor : read.value()) {
    require(tensor.data.data() >= end && tensor.data.data() + tensor.data.size() <= data + size);
    end = tensor.data.data() + tensor.data.size();
    total += tensor.data.size();
    require(tensor.shape.size() <= 8);
  }
  require(total <= size - 8);
  return 0;
}
