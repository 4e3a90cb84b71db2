// Builds GGUF files for tests: toy models, and files that are wrong in one chosen way.
//
//   const std::vector<std::uint8_t> file = GgufWriter()
//       .add("general.architecture", "llama")
//       .add("llama.block_count", std::uint32_t{2})
//       .add("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b"})
//       .add_tensor("output_norm.weight", {2}, {1.0f, 1.0f})
//       .bytes();
//
// Nothing is checked: what is asked for is written.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gguf/gguf_file.h"

namespace emberline::testing {

// The GGUF type that stores a C++ type; the scalar types of metadata.
template <typename T>
constexpr GgufType gguf_type_of();
template <>
constexpr GgufType gguf_type_of<std::uint8_t>() {
  return GgufType::kU8;
}
template <>
constexpr GgufType gguf_type_of<std::int8_t>() {
  return GgufType::kI8;
}
template <>
constexpr GgufType gguf_type_of<std::uint16_t>() {
  return GgufType::kU16;
}
template <>
constexpr GgufType gguf_type_of<std::int16_t>() {
  return GgufType::kI16;
}
template <>
constexpr GgufType gguf_type_of<std::uint32_t>() {
  return GgufType::kU32;
}
template <>
constexpr GgufType gguf_type_of<std::int32_t>() {
  return GgufType::kI32;
}
template <>
constexpr GgufType gguf_type_of<std::uint64_t>() {
  return GgufType::kU64;
}
template <>
constexpr GgufType gguf_type_of<std::int64_t>() {
  return GgufType::kI64;
}
template <>
constexpr GgufType gguf_type_of<float>() {
  return GgufType::kF32;
}
template <>
constexpr GgufType gguf_type_of<double>() {
  return GgufType::kF64;
}
template <>
constexpr GgufType gguf_type_of<bool>() {
  return GgufType::kBool;
}

template <typename T>
concept GgufScalar = requires { gguf_type_of<T>(); } && (std::integral<T> || std::floating_point<T>);

class GgufWriter {
 public:
  explicit GgufWriter(std::uint32_t version = 3) : version_(version) {}

  // The type written is the type given: spell it, `std::uint32_t{30}`, where it matters.
  template <GgufScalar T>
  GgufWriter& add(std::string_view key, T value) {
    begin_entry(key, gguf_type_of<T>());
    append(metadata_, value);
    return *this;
  }
  GgufWriter& add(std::string_view key, std::string_view value) {
    begin_entry(key, GgufType::kString);
    append_string(metadata_, value);
    return *this;
  }
  GgufWriter& add(std::string_view key, const char* value) { return add(key, std::string_view(value)); }

  template <GgufScalar T>
  GgufWriter& add(std::string_view key, const std::vector<T>& values) {
    begin_array(key, gguf_type_of<T>(), values.size());
    for (const T value : values) append(metadata_, value);
    return *this;
  }
  GgufWriter& add(std::string_view key, const std::vector<std::string>& values) {
    begin_array(key, GgufType::kString, values.size());
    for (const std::string& value : values) append_string(metadata_, value);
    return *this;
  }
  // A value of type `type_id` whose encoding is `encoding`, right or wrong.
  GgufWriter& add_encoded(std::string_view key, std::uint32_t type_id,
                          const std::vector<std::uint8_t>& encoding) {
    begin_entry(key, static_cast<GgufType>(type_id));
    metadata_.insert(metadata_.end(), encoding.begin(), encoding.end());
    return *this;
  }
  // Writes `general.alignment` and places the tensors by it. 32 when never called; must not be 0.
  GgufWriter& set_alignment(std::uint32_t alignment) {
    alignment_ = alignment;
    return add("general.alignment", alignment);
  }

  // `shape` is fastest first, as in the file. `data` is the tensor's bytes in the layout of `type_id`.
  GgufWriter& add_tensor(std::string_view name, const std::vector<std::uint64_t>& shape,
                         std::uint32_t type_id, const std::vector<std::uint8_t>& data) {
    pad(tensor_data_);
    return add_tensor_at(name, shape, type_id, tensor_data_.size(), data);
  }
  GgufWriter& add_tensor(std::string_view name, const std::vector<std::uint64_t>& shape, TensorType type,
                         const std::vector<std::uint8_t>& data) {
    return add_tensor(name, shape, static_cast<std::uint32_t>(type), data);
  }
  // An F32 tensor.
  GgufWriter& add_tensor(std::string_view name, const std::vector<std::uint64_t>& shape,
                         const std::vector<float>& values) {
    std::vector<std::uint8_t> data(values.size() * sizeof(float));
    if (!data.empty()) std::memcpy(data.data(), values.data(), data.size());
    return add_tensor(name, shape, TensorType::kF32, data);
  }
  // The same with the offset that the file shall state; the data goes where the next tensor's data belongs.
  GgufWriter& add_tensor_at(std::string_view name, const std::vector<std::uint64_t>& shape,
                            std::uint32_t type_id, std::uint64_t stated_offset,
                            const std::vector<std::uint8_t>& data) {
    append_string(tensor_infos_, name);
    append(tensor_infos_, static_cast<std::uint32_t>(shape.size()));
    for (const std::uint64_t extent : shape) append(tensor_infos_, extent);
    append(tensor_infos_, type_id);
    append(tensor_infos_, stated_offset);
    tensor_data_.insert(tensor_data_.end(), data.begin(), data.end());
    ++tensor_count_;
    return *this;
  }

  // The counts in the header, when they shall not be the true ones.
  GgufWriter& state_counts(std::uint64_t tensors, std::uint64_t metadata) {
    tensor_count_ = tensors;
    metadata_count_ = metadata;
    return *this;
  }

  std::vector<std::uint8_t> bytes() const {
    std::vector<std::uint8_t> file = {'G', 'G', 'U', 'F'};
    append(file, version_);
    append(file, tensor_count_);
    append(file, metadata_count_);
    file.insert(file.end(), metadata_.begin(), metadata_.end());
    file.insert(file.end(), tensor_infos_.begin(), tensor_infos_.end());
    pad(file);
    file.insert(file.end(), tensor_data_.begin(), tensor_data_.end());
    return file;
  }

  bool write(const std::filesystem::path& path) const {
    const std::vector<std::uint8_t> file = bytes();
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
    return stream.flush().good();
  }

 private:
  using Bytes = std::vector<std::uint8_t>;

  template <typename T>
  static void append(Bytes& bytes, T value) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof(T));
    std::memcpy(bytes.data() + at, &value, sizeof(T));
  }
  static void append_string(Bytes& bytes, std::string_view text) {
    append(bytes, static_cast<std::uint64_t>(text.size()));
    bytes.insert(bytes.end(), text.begin(), text.end());
  }
  void begin_entry(std::string_view key, GgufType type) {
    append_string(metadata_, key);
    append(metadata_, static_cast<std::uint32_t>(type));
    ++metadata_count_;
  }
  void begin_array(std::string_view key, GgufType element_type, std::size_t count) {
    begin_entry(key, GgufType::kArray);
    append(metadata_, static_cast<std::uint32_t>(element_type));
    append(metadata_, static_cast<std::uint64_t>(count));
  }
  void pad(Bytes& bytes) const { bytes.resize((bytes.size() + alignment_ - 1) / alignment_ * alignment_); }

  std::uint32_t version_;
  std::uint32_t alignment_ = 32;
  std::uint64_t tensor_count_ = 0;
  std::uint64_t metadata_count_ = 0;
  Bytes metadata_;
  Bytes tensor_infos_;
  Bytes tensor_data_;
};

}  // namespace emberline::testing
