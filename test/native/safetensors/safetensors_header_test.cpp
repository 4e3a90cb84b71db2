// What a SafeTensors file may say, and the error for every way of saying it wrong.
#include "safetensors/safetensors_header.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace emberline {
namespace {

std::vector<std::uint8_t> file_of(const std::string& header, std::size_t data_bytes) {
  std::vector<std::uint8_t> bytes(8 + header.size() + data_bytes);
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, sizeof length);
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  for (std::size_t i = 0; i < data_bytes; ++i) bytes[8 + header.size() + i] = static_cast<std::uint8_t>(i);
  return bytes;
}

std::string tensor(const std::string& type, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TEST(SafetensorsHeader, ReadsTensorsInTheOrderOfTheirData) {
  const auto bytes =
      file_of(R"({"__metadata__":{"format":"pt"},"b":)" + tensor("BF16", "[2,3]", "[4,16]") + R"(,"a":)" +
                  tensor("F32", "[]", "[0,4]") + R"(,"none":)" + tensor("U8", "[0,7]", "[4,4]") + "}  ",
              16);
  const auto read = read_safetensors(bytes, "x");
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_EQ(read.value().size(), 3u);
  EXPECT_EQ(read.value()[0].name, "a");
  EXPECT_TRUE(read.value()[0].shape.empty());
  EXPECT_EQ(read.value()[1].name, "none");
  const SafetensorsTensor& last = read.value()[2];
  EXPECT_EQ(last.type, "BF16");
  EXPECT_EQ(last.shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(last.data.size(), 12u);
  EXPECT_EQ(last.data[0], 4);
}

TEST(SafetensorsHeader, NothingWrongIsTaken) {
  const std::string good = tensor("F32", "[1]", "[0,4]");
  const struct {
    std::string header;
    std::size_t data;
    ErrorCode code;
    const char* word;
  } wrong[] = {
      {"", 0, ErrorCode::kModelCorrupt, "brace"},
      {" {}", 0, ErrorCode::kModelCorrupt, "brace"},
      {"{]", 0, ErrorCode::kModelCorrupt, "JSON"},
      {"{\"a\xFF\":" + good + "}", 4, ErrorCode::kModelCorrupt, "UTF-8"},
      {"{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}", 0, ErrorCode::kModelCorrupt,
       "nested"},
      {R"({"a":1})", 0, ErrorCode::kModelCorrupt, "lacks"},
      {R"({"a":)" + tensor("F4", "[1]", "[0,4]") + "}", 4, ErrorCode::kModelTensorTypeUnsupported, "F4"},
      {R"({"a":)" + tensor("F32", "[1.0]", "[0,4]") + "}", 4, ErrorCode::kModelCorrupt, "extent"},
      {R"({"a":)" + tensor("F32", "[-1]", "[0,4]") + "}", 4, ErrorCode::kModelCorrupt, "extent"},
      {R"({"a":)" + tensor("F32", "[4611686018427387904,4]", "[0,4]") + "}", 4, ErrorCode::kModelCorrupt,
       "absurd"},
      {R"({"a":)" + tensor("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]") + "}", 4, ErrorCode::kModelCorrupt,
       "dimensions"},
      {R"({"a":)" + tensor("F32", "[1]", "[4,0]") + "}", 4, ErrorCode::kModelCorrupt, "range"},
      {R"({"a":)" + tensor("F32", "[1]", "[0]") + "}", 4, ErrorCode::kModelCorrupt, "lacks"},
      {R"({"a":)" + tensor("F32", "[2]", "[0,4]") + "}", 4, ErrorCode::kModelCorrupt, "size"},
      {R"({"a":)" + tensor("F32", "[1]", "[18446744073709551611,18446744073709551615]") + "}", 4,
       ErrorCode::kModelCorrupt, "absurd"},
      {R"({"a":)" + tensor("F32", "[1]", "[4,8]") + "}", 7, ErrorCode::kModelTruncated, "ends early"},
      {R"({"a":)" + tensor("F32", "[1]", "[4,8]") + "}", 8, ErrorCode::kModelCorrupt, "gap"},
      {R"({"a":)" + good + "}", 5, ErrorCode::kModelCorrupt, "more behind"},
      {R"({"a":)" + good + R"(,"b":)" + tensor("F32", "[1]", "[2,6]") + "}", 6, ErrorCode::kModelCorrupt,
       "overlaps"},
  };
  for (const auto& [header, data, code, word] : wrong) {
    const auto bytes = file_of(header, data);
    const auto read = read_safetensors(bytes, "x.safetensors");
    ASSERT_FALSE(read.ok()) << header;
    EXPECT_EQ(read.code(), code) << header << read.error().message();
    EXPECT_NE(read.error().message().find(word), std::string::npos) << read.error().message();
  }
}

TEST(SafetensorsHeader, EveryLengthOfAFileIsAnswered) {
  const auto bytes = file_of(R"({"a":)" + tensor("F32", "[2]", "[0,8]") + "}", 8);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::vector<std::uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    const auto read = read_safetensors(cut, "x");
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.code(), ErrorCode::kModelTruncated) << length;
  }
  for (const std::uint64_t length : {std::uint64_t{1} << 27, ~std::uint64_t{0}}) {
    auto absurd = bytes;
    std::memcpy(absurd.data(), &length, sizeof length);
    EXPECT_EQ(read_safetensors(absurd, "x").code(), ErrorCode::kModelCorrupt);
  }
}

}  // namespace
}  // namespace emberline
