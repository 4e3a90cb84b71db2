#include "safetensors/gguf_terms.h"

#include <cassert>
#include <cstdlib>
#include <utility>

namespace emberline {

// Deques: what they hold does not move.
struct GgufTerms::Memory {
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::deque<std::string> texts;
  std::deque<std::vector<std::string>> lists;
  std::deque<std::vector<std::uint8_t>> arrays;
  std::vector<std::unique_ptr<void, Free>> blocks;
};

GgufTerms::GgufTerms() : memory_(std::make_shared<Memory>()) {}

std::string_view GgufTerms::keep(std::string_view text) {
  return memory_->texts.emplace_back(text);
}

GgufValue& GgufTerms::entry(std::string_view key, GgufType type) {
  contents_.metadata.push_back({keep(key), {type, {}}});
  return contents_.metadata.back().value;
}

void GgufTerms::add_text(std::string_view key, std::string_view value) {
  entry(key, GgufType::kString).value.emplace<std::string_view>(keep(value));
}
void GgufTerms::add_uint(std::string_view key, std::uint64_t value) {
  entry(key, GgufType::kU64).value.emplace<std::uint64_t>(value);
}
void GgufTerms::add_float(std::string_view key, double value) {
  entry(key, GgufType::kF64).value.emplace<double>(value);
}
void GgufTerms::add_bool(std::string_view key, bool value) {
  entry(key, GgufType::kBool).value.emplace<bool>(value);
}

void GgufTerms::add_texts(std::string_view key, std::vector<std::string> values) {
  const std::vector<std::string>& kept = memory_->lists.emplace_back(std::move(values));
  GgufArray array{GgufType::kString, kept.size(), {kept.begin(), kept.end()}, {}};
  entry(key, GgufType::kArray).value.emplace<GgufArray>(std::move(array));
}

void GgufTerms::add_array(std::string_view key, GgufType type, std::size_t count,
                          std::span<const std::uint8_t> bytes) {
  const std::vector<std::uint8_t>& kept = memory_->arrays.emplace_back(bytes.begin(), bytes.end());
  entry(key, GgufType::kArray).value.emplace<GgufArray>(GgufArray{type, count, {}, kept});
}
void GgufTerms::add_ints(std::string_view key, const std::vector<std::int32_t>& values) {
  add_array(key, GgufType::kI32, values.size(),
            {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(std::int32_t)});
}
void GgufTerms::add_floats(std::string_view key, const std::vector<float>& values) {
  add_array(key, GgufType::kF32, values.size(),
            {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(float)});
}

void GgufTerms::add_tensor(std::string_view name, TensorType type, std::span<const std::uint64_t> shape,
                           std::span<const std::uint8_t> data) {
  assert(shape.size() >= 1 && shape.size() <= 4);
  GgufTensor tensor{keep(name),
                    static_cast<std::uint32_t>(type),
                    static_cast<std::uint32_t>(shape.size()),
                    {1, 1, 1, 1},
                    data};
  for (std::size_t i = 0; i < shape.size(); ++i) tensor.shape[i] = shape[i];
  contents_.tensors.push_back(tensor);
}

Result<std::span<std::uint8_t>> GgufTerms::memory(std::size_t bytes) {
  std::unique_ptr<void, Memory::Free> block(std::calloc(bytes == 0 ? 1 : bytes, 1));
  if (block == nullptr) {
    return Status(ErrorCode::kOutOfMemory, "There is no memory to unpack " + std::to_string(bytes) +
                                               " bytes of the model's weights; choose a smaller model.");
  }
  const std::span<std::uint8_t> span(static_cast<std::uint8_t*>(block.get()), bytes);
  memory_->blocks.push_back(std::move(block));
  contents_.memory_bytes += bytes;
  return span;
}

Result<std::unique_ptr<GgufFile>> GgufTerms::file(std::vector<MappedFile> files) && {
  return GgufFile::from_contents(std::move(contents_), std::move(files), std::move(memory_));
}

}  // namespace emberline
