// Models in several files, and what lies beyond 4 GiB of one.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gguf/gguf_file.h"
#include "gguf_writer.h"
#include "take.h"
#include "temporary_directory.h"

namespace emberline {
namespace {

using emberline::testing::GgufWriter;
using emberline::testing::take;
using emberline::testing::TemporaryDirectory;

constexpr int kShards = 3;

// Shard `number` has the tensors `a<number>` and `b<number>`, whose first elements are the number.
GgufWriter shard(int number, int tensors = 2 * kShards) {
  GgufWriter writer;
  if (number == 0) writer.add("general.architecture", "llama");
  writer.add("split.no", static_cast<std::uint16_t>(number))
      .add("split.count", std::uint16_t{kShards})
      .add("split.tensors.count", std::int32_t{tensors});
  for (const char* letter : {"b", "a"}) {
    writer.add_tensor(letter + std::to_string(number), {3}, {static_cast<float>(number), 2.0f, 3.0f});
  }
  return writer;
}

std::string shard_name(int number) {
  return "toy-0000" + std::to_string(number + 1) + "-of-00003.gguf";
}

// Three shards in a folder of their own, the one numbered 1 as `second` makes it.
class Shards {
 public:
  explicit Shards(const GgufWriter& second = shard(1)) {
    for (int number = 0; number < kShards; ++number) {
      EXPECT_TRUE((number == 1 ? second : shard(number)).write(path(number)));
    }
  }
  std::string path(int number) const { return directory_.file(shard_name(number)); }
  std::string file(const std::string& name) const { return directory_.file(name); }

 private:
  TemporaryDirectory directory_;
};

void expect_refused(const std::string& path, ErrorCode code, const std::string& word) {
  const auto opened = GgufFile::open(path);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.code(), code) << opened.error().message();
  EXPECT_NE(opened.error().message().find(word), std::string::npos) << opened.error().message();
}

TEST(GgufShards, AnyOfThemOpensAll) {
  const Shards shards;
  std::uint64_t bytes = 0;
  for (int number = 0; number < kShards; ++number) bytes += std::filesystem::file_size(shards.path(number));
  for (int opened = 0; opened < kShards; ++opened) {
    const auto file = take(GgufFile::open(shards.path(opened)));
    EXPECT_EQ(file->tensors().size(), 6u);
    EXPECT_EQ(file->get_string("general.architecture"), "llama");
    EXPECT_EQ(file->get_uint("split.no"), 0u) << "the first has the metadata";
    EXPECT_EQ(file->file_bytes(), bytes);
    EXPECT_TRUE(file->mapping().empty());
    for (int number = 0; number < kShards; ++number) {
      for (const char* letter : {"a", "b"}) {
        const GgufTensor* tensor = file->tensor(letter + std::to_string(number));
        ASSERT_NE(tensor, nullptr);
        float first = -1;
        std::memcpy(&first, tensor->data.data(), sizeof first);
        EXPECT_EQ(first, static_cast<float>(number));
        file->discard(tensor->data);
      }
    }
  }
}

TEST(GgufShards, IdentityIsOfAllOfThem) {
  const Shards shards;
  const FileIdentity before = take(GgufFile::open(shards.path(0)))->identity();
  const FileIdentity last = take(GgufFile::open(shards.path(2)))->identity();
  EXPECT_EQ(before.file, last.file);
  std::filesystem::last_write_time(shards.path(1),
                                   std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  const FileIdentity after = take(GgufFile::open(shards.path(0)))->identity();
  EXPECT_NE(before.modified, after.modified);
}

TEST(GgufShards, OneThatIsMissingIsNamed) {
  const Shards shards;
  std::filesystem::remove(shards.path(1));
  expect_refused(shards.path(0), ErrorCode::kFileNotFound, "Shard 2 of 3");
  expect_refused(shards.path(2), ErrorCode::kFileNotFound, shard_name(1));
}

TEST(GgufShards, OneThatIsForeignIsNamed) {
  expect_refused(Shards(shard(2)).path(0), ErrorCode::kModelCorrupt, "Shard 2 of 3");
  expect_refused(Shards(shard(1, 7)).path(0), ErrorCode::kModelCorrupt, "Shard 2 of 3");
  expect_refused(Shards(GgufWriter().add("general.architecture", "llama")).path(0), ErrorCode::kModelCorrupt,
                 "Shard 2 of 3");
  GgufWriter twice = shard(1);
  twice.add_tensor("a0", {1}, {1.0f});
  expect_refused(Shards(twice).path(2), ErrorCode::kModelCorrupt, "\"a0\"");
}

TEST(GgufShards, OneThatIsDamagedIsNamed) {
  const Shards shards;
  std::filesystem::resize_file(shards.path(1), std::filesystem::file_size(shards.path(1)) - 1);
  expect_refused(shards.path(0), ErrorCode::kModelTruncated, "Shard 2 of 3");
}

TEST(GgufShards, TensorsAreCounted) {
  GgufWriter more = shard(1);
  more.add_tensor("c", {1}, {1.0f});
  expect_refused(Shards(more).path(0), ErrorCode::kModelCorrupt, "7 tensors");
}

TEST(GgufShards, AnotherNameIsRefused) {
  const Shards shards;
  const std::string other = shards.file("other.gguf");
  std::filesystem::rename(shards.path(0), other);
  expect_refused(other, ErrorCode::kModelMetadataInvalid, "-00001-of-00003.gguf");
}

TEST(GgufShards, NumbersThatMakeNoSenseAreRefused) {
  const TemporaryDirectory directory;
  const std::string path = directory.file(shard_name(0));
  const std::pair<int, int> wrong[] = {{3, 3}, {-1, 3}, {0, 2000}};
  for (const auto& [number, count] : wrong) {
    ASSERT_TRUE(GgufWriter()
                    .add("split.no", std::int32_t{number})
                    .add("split.count", std::int32_t{count})
                    .write(path));
    expect_refused(path, ErrorCode::kModelMetadataInvalid, "split.no");
  }
}

TEST(GgufShards, OneOfOneNeedsNoName) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("whole.gguf");
  ASSERT_TRUE(GgufWriter()
                  .add("split.no", std::uint16_t{0})
                  .add("split.count", std::uint16_t{1})
                  .add_tensor("a", {1}, {1.0f})
                  .write(path));
  EXPECT_EQ(take(GgufFile::open(path))->tensors().size(), 1u);
}

// The hole between takes no room on the disk.
TEST(GgufFile, ReadsTensorsBeyondFourGibibytes) {
  constexpr std::uint64_t kFar = (std::uint64_t{5} << 30) + 64;
  const TemporaryDirectory directory;
  const std::string path = directory.file("far.gguf");
  const std::vector<std::uint8_t> head =
      GgufWriter()
          .add_tensor("near", {1}, {1.5f})
          .add_tensor_at("far", {2}, static_cast<std::uint32_t>(TensorType::kF32), kFar, {})
          // 6 GiB of zeros behind it, whose size alone takes 33 bits.
          .add_tensor_at("wide", {std::uint64_t{1} << 17, 3u << 12},
                         static_cast<std::uint32_t>(TensorType::kF32), kFar + 64, {})
          .bytes();
  const std::uint64_t data = head.size() - sizeof(float), wide = (std::uint64_t{3} << 29) * sizeof(float);
  {
    std::ofstream stream(path, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(head.data()), static_cast<std::streamsize>(head.size()));
  }
  std::filesystem::resize_file(path, data + kFar + 64 + wide);
  const float values[] = {2.5f, -3.5f}, last = 4.5f;
  {
    std::fstream stream(path, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(static_cast<std::streamoff>(data + kFar));
    stream.write(reinterpret_cast<const char*>(values), sizeof values);
    stream.seekp(static_cast<std::streamoff>(data + kFar + 64 + wide - sizeof last));
    stream.write(reinterpret_cast<const char*>(&last), sizeof last);
    ASSERT_TRUE(stream.flush().good());
  }
  const auto file = take(GgufFile::open(path));
  const auto element = [&](const char* name, std::uint64_t index) {
    float value = 0;
    std::memcpy(&value, file->tensor(name)->data.data() + index * sizeof value, sizeof value);
    return value;
  };
  EXPECT_EQ(element("near", 0), 1.5f);
  EXPECT_EQ(element("far", 0), 2.5f);
  EXPECT_EQ(element("far", 1), -3.5f);
  EXPECT_EQ(file->tensor("wide")->data.size(), wide);
  EXPECT_EQ(element("wide", (std::uint64_t{3} << 29) - 1), 4.5f);
  file->discard(file->tensor("wide")->data);
  EXPECT_EQ(element("wide", 0), 0.0f);
}

}  // namespace
}  // namespace emberline
