// What a well-formed file reads as.
#include "gguf/gguf_file.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "gguf_writer.h"
#include "temporary_directory.h"

namespace emberline {
namespace {

using emberline::testing::GgufWriter;
using emberline::testing::TemporaryDirectory;

GgufWriter every_type() {
  GgufWriter writer;
  writer.add("u8", std::uint8_t{200})
      .add("i8", std::int8_t{-100})
      .add("u16", std::uint16_t{60000})
      .add("i16", std::int16_t{-30000})
      .add("u32", std::uint32_t{4000000000})
      .add("i32", std::int32_t{-2000000000})
      .add("u64", std::numeric_limits<std::uint64_t>::max())
      .add("i64", std::numeric_limits<std::int64_t>::min())
      .add("f32", 0.1f)
      .add("f64", 0.1)
      .add("true", true)
      .add("false", false)
      .add("string", "naïve")
      .add("empty string", "")
      .add("u32s", std::vector<std::uint32_t>{1, 2, 3})
      .add("f32s", std::vector<float>{0.5f})
      .add("strings", std::vector<std::string>{"a", "", "ccc"})
      .add("empty array", std::vector<std::int32_t>{});
  return writer;
}

TEST(GgufFile, ReadsMetadataOfEveryType) {
  const std::vector<std::uint8_t> bytes = every_type().bytes();
  const auto opened = GgufFile::from_bytes(bytes);
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  const GgufFile& file = *opened.value();

  EXPECT_EQ(file.version(), 3u);
  EXPECT_EQ(file.file_bytes(), bytes.size());
  EXPECT_EQ(file.metadata().size(), 18u);
  EXPECT_EQ(file.metadata()[0].key, "u8");
  EXPECT_EQ(file.get_uint("u8"), 200u);
  EXPECT_EQ(std::get<std::int64_t>(file.find("i8")->value), -100);
  EXPECT_EQ(file.get_uint("u16"), 60000u);
  EXPECT_EQ(std::get<std::int64_t>(file.find("i16")->value), -30000);
  EXPECT_EQ(file.get_uint("u32"), 4000000000u);
  EXPECT_EQ(std::get<std::int64_t>(file.find("i32")->value), -2000000000);
  EXPECT_EQ(file.get_uint("u64"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(std::get<std::int64_t>(file.find("i64")->value), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(file.get_float("f32"), 0.1f);
  EXPECT_EQ(file.get_float("f64"), 0.1);
  EXPECT_EQ(file.get_bool("true"), true);
  EXPECT_EQ(file.get_bool("false"), false);
  EXPECT_EQ(file.get_string("string"), "naïve");
  EXPECT_EQ(file.get_string("empty string"), "");

  const GgufArray* const numbers = file.get_array("u32s");
  ASSERT_NE(numbers, nullptr);
  EXPECT_EQ(numbers->element_type, GgufType::kU32);
  EXPECT_EQ(numbers->count, 3u);
  EXPECT_EQ(std::vector<std::uint8_t>(numbers->bytes.begin(), numbers->bytes.end()),
            (std::vector<std::uint8_t>{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}));
  const GgufArray* const strings = file.get_array("strings");
  ASSERT_NE(strings, nullptr);
  EXPECT_EQ(strings->strings, (std::vector<std::string_view>{"a", "", "ccc"}));
  EXPECT_EQ(file.get_array("empty array")->count, 0u);
}

TEST(GgufFile, LooksUpByTypeAndLosesNothing) {
  const std::vector<std::uint8_t> bytes = every_type().add("i32 of 7", std::int32_t{7}).bytes();
  const auto opened = GgufFile::from_bytes(bytes);
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  const GgufFile& file = *opened.value();

  EXPECT_EQ(file.get_uint("i32 of 7"), 7u);
  EXPECT_EQ(file.get_uint("i32"), std::nullopt) << "negative";
  EXPECT_EQ(file.get_uint("f32"), std::nullopt);
  EXPECT_EQ(file.get_uint("true"), std::nullopt);
  EXPECT_EQ(file.get_float("u32"), std::nullopt);
  EXPECT_EQ(file.get_bool("u8"), std::nullopt);
  EXPECT_EQ(file.get_string("u32s"), std::nullopt);
  EXPECT_EQ(file.get_array("string"), nullptr);
  EXPECT_EQ(file.find("absent"), nullptr);
  EXPECT_EQ(file.find(""), nullptr);
  EXPECT_EQ(file.get_uint("absent"), std::nullopt);
  EXPECT_EQ(file.tensor("absent"), nullptr);
}

TEST(GgufFile, FindsTensorsAndTheirBytes) {
  const std::vector<std::uint8_t> block(20, 0xAB);
  const std::vector<std::uint8_t> bytes = GgufWriter()
                                              .add("general.architecture", "llama")
                                              .add_tensor("z", {3}, {1.0f, 2.0f, 3.0f})
                                              .add_tensor("a", {32, 1, 1, 1}, TensorType::kQ4_1, block)
                                              .bytes();
  const auto opened = GgufFile::from_bytes(bytes);
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  const GgufFile& file = *opened.value();

  ASSERT_EQ(file.tensors().size(), 2u);
  EXPECT_EQ(file.tensors()[0].name, "z");
  const GgufTensor* const quantised = file.tensor("a");
  ASSERT_NE(quantised, nullptr);
  EXPECT_EQ(quantised->type_id, 3u);
  EXPECT_EQ(quantised->rank, 4u);
  EXPECT_EQ(std::vector<std::uint8_t>(quantised->data.begin(), quantised->data.end()), block);
  const GgufTensor* const floats = file.tensor("z");
  ASSERT_NE(floats, nullptr);
  EXPECT_EQ(floats->shape[0], 3u);
  EXPECT_EQ(floats->shape[1], 1u);
  ASSERT_EQ(floats->data.size(), 12u);
  EXPECT_EQ(floats->data[3], 0x3F) << "1.0f, little-endian";
  EXPECT_EQ((floats->data.data() - bytes.data()) % 32, 0);
}

TEST(GgufFile, TakesTheStatedAlignment) {
  for (const std::uint32_t alignment : {8u, 64u, 4096u}) {
    const std::vector<std::uint8_t> bytes = GgufWriter()
                                                .set_alignment(alignment)
                                                .add_tensor("a", {1}, {1.0f})
                                                .add_tensor("b", {1}, {2.0f})
                                                .bytes();
    const auto opened = GgufFile::from_bytes(bytes);
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    const GgufTensor* const last = opened.value()->tensor("b");
    ASSERT_NE(last, nullptr);
    EXPECT_EQ(last->data.data() + 4, bytes.data() + bytes.size());
    EXPECT_EQ(static_cast<std::uint64_t>(last->data.data() - bytes.data()) % alignment, 0u);
  }
}

TEST(GgufFile, ReadsVersion2) {
  const std::vector<std::uint8_t> bytes = GgufWriter(2).add("k", "v").add_tensor("t", {1}, {1.0f}).bytes();
  const auto opened = GgufFile::from_bytes(bytes);
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  EXPECT_EQ(opened.value()->version(), 2u);
  EXPECT_EQ(opened.value()->get_string("k"), "v");
  EXPECT_NE(opened.value()->tensor("t"), nullptr);
}

TEST(GgufFile, OpensWithATensorTypeItCannotCompute) {
  const std::vector<std::uint8_t> bytes = GgufWriter()
                                              .add_tensor("t", {256}, 19u, std::vector<std::uint8_t>(50))
                                              .add_tensor("u", {3}, 9999u, {1, 2})
                                              .bytes();
  const auto opened = GgufFile::from_bytes(bytes);
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  EXPECT_EQ(opened.value()->tensor("t")->type_id, 19u);
  EXPECT_TRUE(opened.value()->tensor("t")->data.empty());
  EXPECT_TRUE(opened.value()->tensor("u")->data.empty());
}

TEST(GgufFile, OpensWithoutTensorsOrMetadata) {
  const std::vector<std::uint8_t> bytes = GgufWriter().bytes();
  const auto opened = GgufFile::from_bytes(bytes);
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  EXPECT_TRUE(opened.value()->metadata().empty());
  EXPECT_TRUE(opened.value()->tensors().empty());
}

TEST(GgufFile, ChecksNestedArraysAndKeepsTheirEncoding) {
  // One array of two arrays of u8: [[7], [8, 9]].
  const std::vector<std::uint8_t> inner = {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0,
                                           0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 8, 9};
  std::vector<std::uint8_t> encoding = {9, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
  encoding.insert(encoding.end(), inner.begin(), inner.end());
  const std::vector<std::uint8_t> bytes =
      GgufWriter().add_encoded("nested", 9, encoding).add("after", "here").bytes();
  const auto opened = GgufFile::from_bytes(bytes);
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  const GgufArray* const nested = opened.value()->get_array("nested");
  ASSERT_NE(nested, nullptr);
  EXPECT_EQ(nested->element_type, GgufType::kArray);
  EXPECT_EQ(nested->count, 2u);
  EXPECT_EQ(std::vector<std::uint8_t>(nested->bytes.begin(), nested->bytes.end()), inner);
  EXPECT_EQ(opened.value()->get_string("after"), "here");
}

TEST(GgufFile, OpensAFileByItsPath) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(every_type().add_tensor("t", {2}, {3.0f, 4.0f}).write(directory.path() / "m.gguf"));
  const auto opened = GgufFile::open(directory.file("m.gguf"));
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  EXPECT_EQ(opened.value()->get_string("string"), "naïve");
  EXPECT_EQ(opened.value()->tensor("t")->data.size(), 8u);
  EXPECT_EQ(opened.value()->mapping().size(), opened.value()->file_bytes());
}

TEST(GgufFile, PassesOnWhatTheSystemSays) {
  const TemporaryDirectory directory;
  EXPECT_EQ(GgufFile::open(directory.file("none.gguf")).code(), ErrorCode::kFileNotFound);
  EXPECT_EQ(GgufFile::open(directory.file(".")).code(), ErrorCode::kFileNotRegular);
}

TEST(GgufFileRealModel, HasTheShapeOfItsCard) {
  const auto opened = GgufFile::open(EMBERLINE_EMBEDDED_MODEL);
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  const GgufFile& file = *opened.value();
  EXPECT_EQ(file.file_bytes(), std::filesystem::file_size(EMBERLINE_EMBEDDED_MODEL));
  EXPECT_EQ(file.tensors().size(), 272u);
  EXPECT_EQ(file.get_string("general.architecture"), "llama");
  EXPECT_EQ(file.get_uint("llama.block_count"), 30u);
  EXPECT_EQ(file.get_uint("llama.embedding_length"), 576u);
  ASSERT_NE(file.get_array("tokenizer.ggml.tokens"), nullptr);
  EXPECT_EQ(file.get_array("tokenizer.ggml.tokens")->strings.size(), 49152u);
  std::uint64_t tensor_bytes = 0;
  for (const GgufTensor& tensor : file.tensors()) tensor_bytes += tensor.data.size();
  EXPECT_GT(tensor_bytes, file.file_bytes() * 95 / 100) << "every tensor has its data";
  EXPECT_LT(tensor_bytes, file.file_bytes());
}

}  // namespace
}  // namespace emberline
