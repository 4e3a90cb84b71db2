#include "gguf/gguf_shards.h"

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>

#include "base/try.h"
#include "gguf/describe.h"
#include "gguf/gguf_parser.h"

namespace emberline {
namespace {

constexpr std::string_view kNumberKey = "split.no", kCountKey = "split.count",
                           kTensorsKey = "split.tensors.count";
constexpr std::uint64_t kMostShards = 1024;
constexpr std::size_t kMostTensors = 65536;  // as of one file

// A key of contents that need not be indexed; nullopt where it is absent or no whole number from 0 on.
std::optional<std::uint64_t> whole_number(const GgufContents& contents, std::string_view key) {
  for (const GgufMetadata& entry : contents.metadata) {
    if (entry.key != key) continue;
    if (const auto* const number = std::get_if<std::uint64_t>(&entry.value.value)) return *number;
    const auto* const number = std::get_if<std::int64_t>(&entry.value.value);
    if (number != nullptr && *number >= 0) return static_cast<std::uint64_t>(*number);
    return std::nullopt;
  }
  return std::nullopt;
}

// "-00001-of-00003.gguf" for the first of three. At most kMostShards.
std::string shard_suffix(std::uint64_t number, std::uint64_t count) {
  char text[64];
  std::snprintf(text, sizeof text, "-%05u-of-%05u.gguf", static_cast<unsigned>(number) + 1,
                static_cast<unsigned>(count));
  return text;
}

std::string shard_text(std::uint64_t number, std::uint64_t count) {
  return "Shard " + std::to_string(number + 1) + " of " + std::to_string(count);
}

Status about(const std::string& shard, const Status& status) {
  return {status.code(), shard + " of the model: " + status.message()};
}

Status foreign(const std::string& shard, const std::string& path, const std::string& fact) {
  return {ErrorCode::kModelCorrupt, shard + " of the model, " + quoted(path, 256) + ", " + fact +
                                        "; download it again, or name the shards as they were."};
}

}  // namespace

Status join_shards(const std::string& utf8_path, GgufContents& contents, std::vector<MappedFile>& files) {
  const std::uint64_t count = whole_number(contents, kCountKey).value_or(1);
  if (count <= 1) return {};
  const std::optional<std::uint64_t> own = whole_number(contents, kNumberKey);
  if (count > kMostShards || !own || *own >= count) {
    return {ErrorCode::kModelMetadataInvalid,
            "The model file's \"split.no\" and \"split.count\" do not say which shard it is; download it "
            "again."};
  }
  const std::string suffix = shard_suffix(*own, count);
  if (!utf8_path.ends_with(suffix)) {
    return {ErrorCode::kModelMetadataInvalid,
            "The model file is shard " + std::to_string(*own + 1) + " of " + std::to_string(count) +
                " and its name does not end in " + suffix +
                ", so the others cannot be found; give the shards the names they had."};
  }
  const std::string stem = utf8_path.substr(0, utf8_path.size() - suffix.size());
  const std::optional<std::uint64_t> tensor_count = whole_number(contents, kTensorsKey);

  GgufContents joined, opened = std::move(contents);
  std::vector<MappedFile> opened_files = std::exchange(files, {});
  std::unordered_set<std::string_view> names;
  for (std::uint64_t number = 0; number < count; ++number) {
    const std::string shard = shard_text(number, count);
    const std::string path = stem + shard_suffix(number, count);
    GgufContents next;
    if (number == *own) {
      next = std::exchange(opened, {});
      files.push_back(std::move(opened_files.front()));
    } else {
      Result<MappedFile> file = MappedFile::open(path);
      if (!file.ok()) return about(shard, file.error());
      Result<GgufContents> parsed = parse_gguf(file.value().bytes());
      if (!parsed.ok()) return about(shard, parsed.error());
      next = std::move(parsed).value();
      files.push_back(std::move(file).value());
      if (whole_number(next, kCountKey) != count || whole_number(next, kNumberKey) != number)
        return foreign(shard, path, "says that it is another shard");
      if (whole_number(next, kTensorsKey) != tensor_count)
        return foreign(shard, path, "belongs to a model with another number of tensors");
    }
    if (names.size() + next.tensors.size() > kMostTensors)
      return foreign(shard, path, "brings the model to more than 65,536 tensors");
    for (const GgufTensor& tensor : next.tensors) {
      if (!names.insert(tensor.name).second)
        return foreign(shard, path, "has the tensor " + quoted(tensor.name) + " of an earlier shard");
    }
    if (number == 0) {
      joined = std::move(next);
    } else {
      joined.tensors.insert(joined.tensors.end(), next.tensors.begin(), next.tensors.end());
    }
  }
  if (tensor_count && joined.tensors.size() != *tensor_count) {
    return {ErrorCode::kModelCorrupt, "The shards of the model have " +
                                          std::to_string(joined.tensors.size()) +
                                          " tensors together in "
                                          "the place of " +
                                          std::to_string(*tensor_count) + "; download them again."};
  }
  contents = std::move(joined);
  return {};
}

}  // namespace emberline
