#include "gguf/describe.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gguf_writer.h"

namespace emberline {
namespace {

using emberline::testing::GgufWriter;

// The text of the value that `writer` stored under "k".
std::string described(const GgufWriter& writer) {
  const std::vector<std::uint8_t> bytes = writer.bytes();
  const auto opened = GgufFile::from_bytes(bytes);
  EXPECT_TRUE(opened.ok());
  return describe(*opened.value()->find("k"));
}

TEST(Describe, WritesScalarsShort) {
  EXPECT_EQ(described(GgufWriter().add("k", std::uint8_t{7})), "7");
  EXPECT_EQ(described(GgufWriter().add("k", std::int64_t{-7})), "-7");
  EXPECT_EQ(described(GgufWriter().add("k", 0.1f)), "0.1");
  EXPECT_EQ(described(GgufWriter().add("k", 1e-5f)), "1e-05");
  EXPECT_EQ(described(GgufWriter().add("k", 0.1)), "0.1");
  EXPECT_EQ(described(GgufWriter().add("k", true)), "true");
  EXPECT_EQ(described(GgufWriter().add("k", "llama")), "\"llama\"");
}

template <typename T>
std::string described_array(T value) {
  return described(GgufWriter().add("k", std::vector<T>{value}));
}

TEST(Describe, WritesArraysOfEveryNumber) {
  EXPECT_EQ(described_array<std::uint8_t>(255), "[1 u8: 255]");
  EXPECT_EQ(described_array<std::int8_t>(-128), "[1 i8: -128]");
  EXPECT_EQ(described_array<std::uint16_t>(65535), "[1 u16: 65535]");
  EXPECT_EQ(described_array<std::int16_t>(-2), "[1 i16: -2]");
  EXPECT_EQ(described_array<std::uint32_t>(4294967295), "[1 u32: 4294967295]");
  EXPECT_EQ(described_array<std::int32_t>(-3), "[1 i32: -3]");
  EXPECT_EQ(described_array<std::uint64_t>(18446744073709551615u), "[1 u64: 18446744073709551615]");
  EXPECT_EQ(described_array<std::int64_t>(-4), "[1 i64: -4]");
  EXPECT_EQ(described_array<float>(0.1f), "[1 f32: 0.1]");
  EXPECT_EQ(described_array<double>(0.25), "[1 f64: 0.25]");
}

TEST(Describe, ShortensArrays) {
  EXPECT_EQ(described(GgufWriter().add("k", std::vector<std::uint32_t>{1, 2, 3})), "[3 u32: 1, 2, 3]");
  EXPECT_EQ(described(GgufWriter().add("k", std::vector<std::int8_t>{-1})), "[1 i8: -1]");
  EXPECT_EQ(described(GgufWriter().add("k", std::vector<std::uint16_t>(9, 5))),
            "[9 u16: 5, 5, 5, 5, 5, 5, ...]");
  EXPECT_EQ(described(GgufWriter().add("k", std::vector<std::string>{"a", "b"})),
            "[2 strings: \"a\", \"b\"]");
  EXPECT_EQ(described(GgufWriter().add("k", std::vector<float>{})), "[0 f32]");
}

TEST(Describe, ShortensStringsBetweenCharacters) {
  EXPECT_EQ(quoted("abcdef", 6), "\"abcdef\"");
  EXPECT_EQ(quoted("abcdefg", 6), "\"abcdef\"...");
  EXPECT_EQ(quoted("aé€😀", 3), "\"aé\"...");
  EXPECT_EQ(quoted("aé€😀", 9), "\"aé€\"...");
  EXPECT_EQ(quoted("aé€😀", 10), "\"aé€😀\"");
}

TEST(Describe, EscapesWhatATerminalWouldObeyAndWhatIsNotUtf8) {
  EXPECT_EQ(quoted("a\"b\\c\n\r\t"), R"("a\"b\\c\n\r\t")");
  EXPECT_EQ(quoted(std::string_view("\0\x1b\x7f", 3)), R"("\x00\x1B\x7F")");
  EXPECT_EQ(quoted("\x80"), R"("\x80")") << "a tail without a lead";
  EXPECT_EQ(quoted("\xC3"), R"("\xC3")") << "a lead without a tail";
  EXPECT_EQ(quoted("\xC0\xAF"), R"("\xC0\xAF")") << "overlong";
  EXPECT_EQ(quoted("\xED\xA0\x80"), R"("\xED\xA0\x80")") << "a surrogate";
  EXPECT_EQ(quoted("\xF4\x90\x80\x80"), R"("\xF4\x90\x80\x80")") << "beyond U+10FFFF";
}

TEST(Describe, NamesTensorTypes) {
  EXPECT_EQ(tensor_type_name(0), "F32");
  EXPECT_EQ(tensor_type_name(14), "Q6_K");
  EXPECT_EQ(tensor_type_name(39), "MXFP4");
  EXPECT_EQ(tensor_type_name(4), "type 4") << "given up by the format";
  EXPECT_EQ(tensor_type_name(4000000000), "type 4000000000");
  for (const std::uint32_t id : {0u, 1u, 2u, 3u, 6u, 7u, 8u, 10u, 11u, 12u, 13u, 14u, 20u, 23u, 30u, 39u}) {
    ASSERT_NE(tensor_type_traits(id), nullptr) << id;
    EXPECT_EQ(tensor_type_name(id), tensor_type_traits(id)->name);
  }
  EXPECT_EQ(tensor_type_traits(19), nullptr);
}

TEST(Describe, WritesShapesFastestFirst) {
  GgufTensor tensor;
  tensor.rank = 2;
  tensor.shape[0] = 576;
  tensor.shape[1] = 49152;
  EXPECT_EQ(shape_text(tensor), "576x49152");
}

}  // namespace
}  // namespace emberline
