// GGUF's keys and tensors for a model that comes from elsewhere, with the memory that they point into.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mmap_file.h"
#include "base/status.h"
#include "gguf/gguf_file.h"

namespace emberline {

class GgufTerms {
 public:
  GgufTerms();

  void add_text(std::string_view key, std::string_view value);
  void add_uint(std::string_view key, std::uint64_t value);
  void add_float(std::string_view key, double value);
  void add_bool(std::string_view key, bool value);
  void add_texts(std::string_view key, std::vector<std::string> values);
  void add_ints(std::string_view key, const std::vector<std::int32_t>& values);
  void add_floats(std::string_view key, const std::vector<float>& values);

  // A tensor of data that lives elsewhere. Extents fastest first, at most 4.
  void add_tensor(std::string_view name, TensorType type, std::span<const std::uint64_t> shape,
                  std::span<const std::uint8_t> data);
  // Zeroed memory for a tensor's data, which costs nothing before it is written. OUT_OF_MEMORY.
  Result<std::span<std::uint8_t>> memory(std::size_t bytes);

  // Once. As GgufFile::from_contents.
  Result<std::unique_ptr<GgufFile>> file(std::vector<MappedFile> files) &&;

 private:
  struct Memory;
  std::string_view keep(std::string_view text);
  GgufValue& entry(std::string_view key, GgufType type);
  void add_array(std::string_view key, GgufType type, std::size_t count, std::span<const std::uint8_t> bytes);

  std::shared_ptr<Memory> memory_;
  GgufContents contents_;
};

}  // namespace emberline
