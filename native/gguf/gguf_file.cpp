#include "gguf/gguf_file.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/mmap_file.h"
#include "base/try.h"
#include "gguf/gguf_parser.h"
#include "gguf/gguf_shards.h"

namespace emberline {

namespace {

// One for several files, which changes with any of them.
FileIdentity joined_identity(std::span<const MappedFile> files) {
  if (files.empty()) return {};
  FileIdentity joined = files.front().identity();
  for (const MappedFile& file : files.subspan(1)) {
    const FileIdentity& next = file.identity();
    joined.bytes += next.bytes;
    joined.modified = std::max(joined.modified, next.modified);
    joined.file = joined.file * 0x100000001B3u ^ next.file;  // the step of FNV-1, Fowler, Noll and Vo
  }
  return joined;
}

}  // namespace

Result<std::unique_ptr<GgufFile>> GgufFile::open(const std::string& utf8_path) {
  TRY_VALUE(MappedFile file, MappedFile::open(utf8_path));
  TRY_VALUE(GgufContents contents, parse_gguf(file.bytes()));
  std::vector<MappedFile> files;
  files.push_back(std::move(file));
  TRY(join_shards(utf8_path, contents, files));
  return from_contents(std::move(contents), std::move(files), nullptr);
}

Result<std::unique_ptr<GgufFile>> GgufFile::from_bytes(std::span<const std::uint8_t> bytes) {
  TRY_VALUE(GgufContents contents, parse_gguf(bytes));
  std::unique_ptr<GgufFile> made(new GgufFile());
  made->bytes_ = bytes;
  made->file_bytes_ = bytes.size();
  made->contents_ = std::move(contents);
  return made;
}

Result<std::unique_ptr<GgufFile>> GgufFile::from_contents(GgufContents contents,
                                                          std::vector<MappedFile> files,
                                                          std::shared_ptr<const void> memory) {
  TRY(index_metadata(contents));
  TRY(index_tensors(contents));
  std::unique_ptr<GgufFile> made(new GgufFile());
  if (files.size() == 1) made->bytes_ = files.front().bytes();
  made->identity_ = joined_identity(files);
  made->file_bytes_ = made->identity_.bytes;
  made->files_ = std::move(files);
  made->memory_ = std::move(memory);
  made->contents_ = std::move(contents);
  return made;
}

bool GgufFile::changed() const {
  return std::ranges::any_of(files_, &MappedFile::changed);
}
void GgufFile::discard(std::span<const std::uint8_t> range) const {
  if (range.empty()) return;
  const std::less_equal<const std::uint8_t*> at_most;
  for (const MappedFile& file : files_) {
    const std::span<const std::uint8_t> bytes = file.bytes();
    if (at_most(bytes.data(), range.data()) &&
        at_most(range.data() + range.size(), bytes.data() + bytes.size())) {
      file.discard(range);
      return;
    }
  }
}

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto key_at = [&](std::uint32_t position) { return contents_.metadata[position].key; };
  const auto found = std::ranges::lower_bound(contents_.metadata_by_key, key, {}, key_at);
  if (found == contents_.metadata_by_key.end() || key_at(*found) != key) return nullptr;
  return &contents_.metadata[*found].value;
}

const GgufTensor* GgufFile::tensor(std::string_view name) const {
  const auto name_at = [&](std::uint32_t position) { return contents_.tensors[position].name; };
  const auto found = std::ranges::lower_bound(contents_.tensors_by_name, name, {}, name_at);
  if (found == contents_.tensors_by_name.end() || name_at(*found) != name) return nullptr;
  return &contents_.tensors[*found];
}

std::optional<std::uint64_t> GgufFile::get_uint(std::string_view key) const {
  const GgufValue* const value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* const number = std::get_if<std::uint64_t>(&value->value)) return *number;
  const auto* const number = std::get_if<std::int64_t>(&value->value);
  if (number == nullptr || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

namespace {

template <typename T>
std::optional<T> get(const GgufValue* value) {
  const T* const held = value == nullptr ? nullptr : std::get_if<T>(&value->value);
  return held == nullptr ? std::nullopt : std::optional<T>(*held);
}

}  // namespace

std::optional<double> GgufFile::get_float(std::string_view key) const {
  return get<double>(find(key));
}
std::optional<bool> GgufFile::get_bool(std::string_view key) const {
  return get<bool>(find(key));
}
std::optional<std::string_view> GgufFile::get_string(std::string_view key) const {
  return get<std::string_view>(find(key));
}

const GgufArray* GgufFile::get_array(std::string_view key) const {
  const GgufValue* const value = find(key);
  return value == nullptr ? nullptr : std::get_if<GgufArray>(&value->value);
}

}  // namespace emberline
