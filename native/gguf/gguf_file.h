// A model in GGUF's terms: a v2/v3 file, or the shards of one, mapped read-only and checked as it is read.
//
// The format (all little-endian): magic "GGUF", u32 version, u64 tensor count, u64 metadata count; metadata:
// string key, u32 type, value; tensor infos: string name, u32 rank, u64 extents[rank] (fastest first), u32
// type, u64 offset; padding to `general.alignment` (default 32); tensor data. A string is a u64 length and
// that many bytes.
//
// Invariant: no count, length or offset of the file is used before it is compared with what is left of the
// file; memory allocated while reading is bounded by a small multiple of the file's size. A file of any
// content gives a GgufFile or a Status.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/mmap_file.h"
#include "base/status.h"
#include "gguf/tensor_type.h"

namespace emberline {

enum class GgufType : std::uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};
const char* gguf_type_name(GgufType type);

// A metadata array; elements are views into the mapping.
struct GgufArray {
  GgufType element_type;
  std::uint64_t count = 0;
  std::vector<std::string_view> strings;  // element_type == kString
  // Otherwise: count fixed-size elements, unaligned, little-endian; of nested arrays their encoding, checked
  // but not read.
  std::span<const std::uint8_t> bytes;
};

struct GgufValue {
  GgufType type;
  std::variant<std::uint64_t, std::int64_t, double, bool, std::string_view, GgufArray> value;
};

struct GgufMetadata {
  std::string_view key;
  GgufValue value;
};

struct GgufTensor {
  std::string_view name;
  std::uint32_t type_id = 0;              // GGUF's id; may be one the engine has no kernels for
  std::uint32_t rank = 0;                 // 1..4
  std::uint64_t shape[4] = {1, 1, 1, 1};  // fastest first: shape[0] is the row length
  std::span<const std::uint8_t> data;     // empty when type_id is not known to tensor_type_traits
};

// What a file says, its views pointing into memory that lives elsewhere.
struct GgufContents {
  std::uint32_t version = 0;
  std::vector<GgufMetadata> metadata;  // in the order of the file
  std::vector<GgufTensor> tensors;     // in the order of the file
  std::uint64_t memory_bytes = 0;      // of what lies in no file: unpacked, or to be unpacked
  // Positions in the two above, ordered by key and by name.
  std::vector<std::uint32_t> metadata_by_key;
  std::vector<std::uint32_t> tensors_by_name;
};

class GgufFile {
 public:
  // `utf8_path`: the file, or any shard of a model whose shards lie in one folder (gguf_shards.h).
  // FILE_*, MODEL_NOT_GGUF, MODEL_VERSION_UNSUPPORTED, MODEL_TRUNCATED, MODEL_CORRUPT,
  // MODEL_METADATA_INVALID.
  static Result<std::unique_ptr<GgufFile>> open(const std::string& utf8_path);
  // The same for bytes in memory, aligned to 8 and outliving the GgufFile.
  static Result<std::unique_ptr<GgufFile>> from_bytes(std::span<const std::uint8_t> bytes);
  // What another reader found in `files`, said in GGUF's terms; `memory` is kept for the views that point
  // elsewhere. MODEL_CORRUPT where a key or a name occurs twice.
  static Result<std::unique_ptr<GgufFile>> from_contents(GgufContents contents, std::vector<MappedFile> files,
                                                         std::shared_ptr<const void> memory);

  std::uint32_t version() const { return contents_.version; }  // 0: not read from GGUF
  std::uint64_t file_bytes() const { return file_bytes_; }     // of all shards together
  // The whole file; empty where there are several.
  std::span<const std::uint8_t> mapping() const { return bytes_; }
  std::uint64_t memory_bytes() const { return contents_.memory_bytes; }
  // Of several files as one; all zero for bytes in memory.
  const FileIdentity& identity() const { return identity_; }
  bool changed() const;  // whether MappedFile::changed() of any
  // `range`, a part of a mapping, need not stay in memory; it is read again when it is looked at. Any
  // thread.
  void discard(std::span<const std::uint8_t> range) const;

  std::span<const GgufMetadata> metadata() const { return contents_.metadata; }
  const GgufValue* find(std::string_view key) const;  // null when absent
  // Typed look-ups; any integer type that holds the value without loss will do. Absent or of another type:
  // nullopt.
  std::optional<std::uint64_t> get_uint(std::string_view key) const;
  std::optional<double> get_float(std::string_view key) const;
  std::optional<bool> get_bool(std::string_view key) const;
  std::optional<std::string_view> get_string(std::string_view key) const;
  const GgufArray* get_array(std::string_view key) const;

  std::span<const GgufTensor> tensors() const { return contents_.tensors; }
  const GgufTensor* tensor(std::string_view name) const;  // null when absent

 private:
  GgufFile() = default;

  std::vector<MappedFile> files_;  // none when the bytes belong to someone else
  std::shared_ptr<const void> memory_;
  std::span<const std::uint8_t> bytes_;  // of one file
  std::uint64_t file_bytes_ = 0;
  FileIdentity identity_;
  GgufContents contents_;
};

}  // namespace emberline
