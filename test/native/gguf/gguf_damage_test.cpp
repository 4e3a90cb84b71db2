// Files that are cut short, changed or made to mislead: a typed error or a file that reads, never more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "allocation_counter.h"
#include "base/mmap_file.h"
#include "gguf/describe.h"
#include "gguf/gguf_file.h"
#include "gguf_writer.h"

namespace emberline {
namespace {

using emberline::testing::AllocationCounter;
using emberline::testing::GgufWriter;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;

// What reading may allocate. The dearest byte of a file is in a small metadata entry: 13 bytes of the file,
// about 100 of ours, twice that while a vector grows.
std::size_t memory_bound(std::size_t file_bytes) {
  return 24 * file_bytes + 64 * kKiB;
}

struct Outcome {
  ErrorCode code;
  std::string message;
};

// Opens `bytes` and, where that works, touches all it holds.
Outcome read_all(std::span<const std::uint8_t> bytes) {
  const AllocationCounter counter;
  const auto opened = GgufFile::from_bytes(bytes);
  EXPECT_LE(counter.peak_bytes(), memory_bound(bytes.size()));
  if (!opened.ok()) {
    EXPECT_FALSE(opened.error().message().empty());
    EXPECT_LT(opened.error().message().size(), 600u);
    return {opened.code(), opened.error().message()};
  }
  std::uint64_t sum = 0;
  for (const GgufMetadata& entry : opened.value()->metadata()) {
    EXPECT_LT(describe(entry.value).size(), 2000u);
    EXPECT_NE(opened.value()->find(entry.key), nullptr);
  }
  for (const GgufTensor& tensor : opened.value()->tensors()) {
    EXPECT_EQ(opened.value()->tensor(tensor.name)->data.data(), tensor.data.data());
    if (!tensor.data.empty()) sum += static_cast<std::uint64_t>(tensor.data.front()) + tensor.data.back();
  }
  return {ErrorCode::kOk, std::to_string(sum)};
}

ErrorCode code_of(const std::vector<std::uint8_t>& bytes) {
  return read_all(bytes).code;
}

std::vector<std::uint8_t> text_bytes(std::string_view text) {
  return {text.begin(), text.end()};
}

// -- the embedded model

class GgufRealModelDamage : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<MappedFile> file = MappedFile::open(EMBERLINE_EMBEDDED_MODEL);
    ASSERT_TRUE(file.ok()) << file.error().message();
    model_ = std::move(file).value();
  }
  std::span<const std::uint8_t> prefix(std::size_t size) const { return model_.bytes().first(size); }
  void expect_truncated(std::size_t size) const {
    const Outcome outcome = read_all(prefix(size));
    EXPECT_EQ(outcome.code, ErrorCode::kModelTruncated) << "cut to " << size << " bytes: " << outcome.message;
    EXPECT_NE(outcome.message.find("at byte " + std::to_string(size) + " "), std::string::npos)
        << outcome.message;
  }

  MappedFile model_;
};

TEST_F(GgufRealModelDamage, CutAtEveryKibibyteOfTheFirst64) {
  for (std::size_t size = 0; size <= 64 * kKiB; size += kKiB) expect_truncated(size);
}

TEST_F(GgufRealModelDamage, CutAtEveryByteOfTheStart) {
  for (std::size_t size = 0; size <= kKiB; ++size) expect_truncated(size);
}

TEST_F(GgufRealModelDamage, CutAt200PlacesOfTheFirst3Mebibytes) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) expect_truncated(random() % (3 * kMiB));
}

TEST_F(GgufRealModelDamage, CutAt200PlacesAnywhere) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 200; ++i) expect_truncated(random() % model_.bytes().size());
  expect_truncated(model_.bytes().size() - 1);
}

TEST_F(GgufRealModelDamage, TellsHowManyBytesAreMissing) {
  const Outcome outcome = read_all(prefix(50 * kMiB));
  EXPECT_NE(outcome.message.find(std::to_string(model_.bytes().size())), std::string::npos)
      << outcome.message;
}

// The model's first metadata and its tensor list, with the long vocabulary between them left out, and one
// page of data: what a flipped bit can mislead, in few enough bytes to read thousands of times.
std::vector<std::uint8_t> small_model() {
  GgufWriter writer;
  writer.add("general.architecture", "llama")
      .add("general.name", "Toy")
      .add("llama.block_count", std::uint32_t{2})
      .add("llama.rope.freq_base", 10000.0f)
      .add("tokenizer.ggml.add_bos_token", false)
      .add("tokenizer.ggml.tokens", std::vector<std::string>{"<|endoftext|>", "a", "b", "ab", " ", "\n"})
      .add("tokenizer.ggml.token_type", std::vector<std::int32_t>{3, 1, 1, 1, 1, 1})
      .add("tokenizer.ggml.merges", std::vector<std::string>{"a b"});
  for (const char* name :
       {"token_embd.weight", "blk.0.attn_norm.weight", "blk.0.attn_q.weight", "output_norm.weight"}) {
    writer.add_tensor(name, {32, 3}, TensorType::kQ4_1, std::vector<std::uint8_t>(60, 1));
  }
  return writer.bytes();
}

TEST(GgufDamage, EveryFlippedBitOfASmallModelIsReadOrRefused) {
  std::vector<std::uint8_t> bytes = small_model();
  ASSERT_EQ(code_of(bytes), ErrorCode::kOk);
  int refused = 0;
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1u << (bit % 8)));
    refused += code_of(bytes) != ErrorCode::kOk ? 1 : 0;
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1u << (bit % 8)));
  }
  EXPECT_GT(refused, 1000);
}

TEST(GgufDamage, SmallModelCutAnywhereIsRefused) {
  const std::vector<std::uint8_t> bytes = small_model();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::vector<std::uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(code_of(cut), ErrorCode::kModelTruncated) << size;
  }
}

TEST(GgufDamage, SmallModelWithSeveralBytesOverwrittenIsReadOrRefused) {
  const std::vector<std::uint8_t> good = small_model();
  std::mt19937_64 random(5);
  for (int i = 0; i < 4000; ++i) {
    std::vector<std::uint8_t> bytes = good;
    for (std::uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random() % 3 == 0 ? 0xFF : random());
    }
    read_all(bytes);
  }
}

TEST_F(GgufRealModelDamage, FlippedBitsOfTheHeaderAreReadOrRefused) {
  std::vector<std::uint8_t> bytes(model_.bytes().begin(),
                                  model_.bytes().begin() + static_cast<std::ptrdiff_t>(2 * kMiB));
  std::mt19937_64 random(6);
  for (int i = 0; i < 2000; ++i) {
    // Mostly the first page, where the counts and lengths are.
    const std::size_t at = random() % (i % 4 == 0 ? bytes.size() : 4 * kKiB);
    const auto flipped = static_cast<std::uint8_t>(1u << (random() % 8));
    bytes[at] ^= flipped;
    EXPECT_NE(read_all(bytes).code, ErrorCode::kOk) << "the data is not there";
    bytes[at] ^= flipped;
  }
}

// -- files that are wrong in one way

TEST(GgufDamage, NotGguf) {
  EXPECT_EQ(code_of(text_bytes("{\"json\": true}")), ErrorCode::kModelNotGguf);
  EXPECT_EQ(code_of(text_bytes("PK\x03\x04")), ErrorCode::kModelNotGguf);
  EXPECT_EQ(code_of(text_bytes("x")), ErrorCode::kModelNotGguf);
  EXPECT_EQ(code_of(text_bytes("ggjt....................")), ErrorCode::kModelNotGguf);
  EXPECT_EQ(code_of(std::vector<std::uint8_t>(1000)), ErrorCode::kModelNotGguf);
  EXPECT_EQ(code_of({}), ErrorCode::kModelTruncated) << "an empty file is a download that never began";
}

TEST(GgufDamage, VersionsThatAreNotRead) {
  for (const std::uint32_t version : {0u, 1u, 4u, 0xFFFFFFFFu}) {
    EXPECT_EQ(code_of(GgufWriter(version).bytes()), ErrorCode::kModelVersionUnsupported) << version;
  }
  const Outcome big_endian = read_all(GgufWriter(0x03000000).bytes());
  EXPECT_EQ(big_endian.code, ErrorCode::kModelVersionUnsupported);
  EXPECT_NE(big_endian.message.find("big-endian"), std::string::npos) << big_endian.message;
}

TEST(GgufDamage, AbsurdCounts) {
  const std::uint64_t all = ~std::uint64_t{0};
  for (const std::uint64_t count :
       {all, all / 2, all / 13 + 1, all / 32 + 1, std::uint64_t{1} << 62, std::uint64_t{1} << 48}) {
    EXPECT_EQ(code_of(GgufWriter().add("k", "v").state_counts(count, 1).bytes()), ErrorCode::kModelCorrupt)
        << count;
    EXPECT_EQ(code_of(GgufWriter().add("k", "v").state_counts(0, count).bytes()), ErrorCode::kModelCorrupt)
        << count;
    EXPECT_EQ(code_of(GgufWriter().state_counts(count, count).bytes()), ErrorCode::kModelCorrupt) << count;
  }
  EXPECT_EQ(code_of(GgufWriter().add("k", "v").state_counts(0, 1000).bytes()), ErrorCode::kModelTruncated);
}

// The encoding of an array: element type, count and `tail`.
std::vector<std::uint8_t> array_encoding(std::uint32_t type, std::uint64_t count,
                                         const std::vector<std::uint8_t>& tail) {
  std::vector<std::uint8_t> encoding(12 + tail.size());
  std::memcpy(encoding.data(), &type, 4);
  std::memcpy(encoding.data() + 4, &count, 8);
  std::ranges::copy(tail, encoding.begin() + 12);
  return encoding;
}

TEST(GgufDamage, AbsurdLengths) {
  const std::vector<std::uint8_t> ones(8, 0xFF);
  EXPECT_EQ(code_of(GgufWriter().add_encoded("s", 8, ones).bytes()), ErrorCode::kModelCorrupt);
  for (const std::uint32_t type : {0u, 4u, 8u, 9u, 12u}) {
    for (const std::uint64_t count :
         {~std::uint64_t{0}, std::uint64_t{1} << 61, (std::uint64_t{1} << 61) + 1}) {
      EXPECT_EQ(code_of(GgufWriter().add_encoded("a", 9, array_encoding(type, count, {1})).bytes()),
                ErrorCode::kModelCorrupt)
          << type << " " << count;
    }
    EXPECT_EQ(code_of(GgufWriter().add_encoded("a", 9, array_encoding(type, 1000, {1})).bytes()),
              ErrorCode::kModelTruncated)
        << type;
  }
  EXPECT_EQ(code_of(GgufWriter().add(std::string(70000, 'k'), "v").bytes()), ErrorCode::kModelCorrupt);
}

TEST(GgufDamage, UnknownValueTypes) {
  EXPECT_EQ(code_of(GgufWriter().add_encoded("k", 13, {0, 0, 0, 0}).bytes()), ErrorCode::kModelCorrupt);
  EXPECT_EQ(code_of(GgufWriter().add_encoded("k", 9, array_encoding(13, 0, {})).bytes()),
            ErrorCode::kModelCorrupt);
  EXPECT_EQ(
      code_of(GgufWriter().add_encoded("k", 9, array_encoding(9, 1, array_encoding(13, 0, {}))).bytes()),
      ErrorCode::kModelCorrupt);
}

TEST(GgufDamage, BooleansThatAreNeither) {
  EXPECT_EQ(code_of(GgufWriter().add_encoded("k", 7, {2}).bytes()), ErrorCode::kModelCorrupt);
  EXPECT_EQ(code_of(GgufWriter().add_encoded("k", 9, array_encoding(7, 2, {1, 255})).bytes()),
            ErrorCode::kModelCorrupt);
}

TEST(GgufDamage, ArraysNestedWithoutEnd) {
  const std::vector<std::uint8_t> one_array = array_encoding(9, 1, {});
  std::vector<std::uint8_t> encoding;
  for (int depth = 0; depth < 100000; ++depth)
    encoding.insert(encoding.end(), one_array.begin(), one_array.end());
  EXPECT_EQ(code_of(GgufWriter().add_encoded("k", 9, encoding).bytes()), ErrorCode::kModelCorrupt);
}

TEST(GgufDamage, NamesThatOccurTwice) {
  EXPECT_EQ(code_of(GgufWriter().add("a", "1").add("b", "2").add("a", "3").bytes()),
            ErrorCode::kModelCorrupt);
  EXPECT_EQ(code_of(GgufWriter().add_tensor("t", {1}, {1.0f}).add_tensor("t", {1}, {1.0f}).bytes()),
            ErrorCode::kModelCorrupt);
}

TEST(GgufDamage, AlignmentsThatAreNone) {
  for (const std::uint32_t alignment : {1u, 2u, 7u, 33u, 0xFFFFFFFFu}) {
    EXPECT_EQ(code_of(GgufWriter().add("general.alignment", alignment).add_tensor("t", {1}, {1.0f}).bytes()),
              ErrorCode::kModelCorrupt)
        << alignment;
  }
  EXPECT_EQ(code_of(GgufWriter().add("general.alignment", std::uint32_t{0}).bytes()),
            ErrorCode::kModelCorrupt);
  EXPECT_EQ(code_of(GgufWriter().add("general.alignment", ~std::uint64_t{0}).bytes()),
            ErrorCode::kModelCorrupt);
  EXPECT_EQ(code_of(GgufWriter().add("general.alignment", "32").bytes()), ErrorCode::kModelCorrupt);
}

TEST(GgufDamage, TensorsThatCannotBe) {
  const std::vector<std::uint8_t> data(128);
  const std::uint64_t huge = std::uint64_t{1} << 63;
  const auto code = [&](const std::vector<std::uint64_t>& shape, std::uint32_t type, std::uint64_t offset) {
    return code_of(GgufWriter().add_tensor_at("t", shape, type, offset, data).bytes());
  };
  EXPECT_EQ(code({32}, 0, 0), ErrorCode::kOk) << "the row that the rest are changes of";
  EXPECT_EQ(code({33}, 0, 0), ErrorCode::kModelTruncated) << "one element too many";
  EXPECT_EQ(code({32}, 0, 32), ErrorCode::kModelTruncated) << "begins too late";
  EXPECT_EQ(code({32}, 0, 4), ErrorCode::kModelCorrupt) << "not aligned";
  EXPECT_EQ(code({32}, 0, huge), ErrorCode::kModelCorrupt);
  EXPECT_EQ(code({32}, 0, ~std::uint64_t{31}), ErrorCode::kModelCorrupt);
  EXPECT_EQ(code({}, 0, 0), ErrorCode::kModelCorrupt) << "rank 0";
  EXPECT_EQ(code({1, 1, 1, 1, 1}, 0, 0), ErrorCode::kModelCorrupt) << "rank 5";
  EXPECT_EQ(code({32, 0}, 0, 0), ErrorCode::kModelCorrupt) << "no rows";
  EXPECT_EQ(code({16}, 3, 0), ErrorCode::kModelCorrupt) << "half a block";
  EXPECT_EQ(code({huge, 2}, 0, 0), ErrorCode::kModelCorrupt) << "the product is 2^64";
  EXPECT_EQ(code({huge / 2}, 0, 0), ErrorCode::kModelCorrupt) << "the size in bytes is 2^64";
  EXPECT_EQ(code({1, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 1}, 0, 0), ErrorCode::kModelCorrupt);
  EXPECT_EQ(code({32}, 77, 1024), ErrorCode::kModelTruncated) << "of an unknown type, but beyond the end";
}

TEST(GgufDamage, MessagesShowNamesSafely) {
  const Outcome outcome = read_all(GgufWriter().add("\x1b[2J\xff\n", "1").add("\x1b[2J\xff\n", "2").bytes());
  EXPECT_NE(outcome.message.find(R"("\x1B[2J\xFF\n")"), std::string::npos) << outcome.message;
}

TEST(GgufDamage, ManySmallEntriesStayWithinTheMemoryBound) {
  GgufWriter entries;
  for (int i = 0; i < 20000; ++i) entries.add(std::to_string(i), std::uint8_t{1});
  EXPECT_EQ(code_of(entries.bytes()), ErrorCode::kOk);
  GgufWriter too_many;
  for (int i = 0; i < 65537; ++i) too_many.add(std::to_string(i), std::uint8_t{1});
  EXPECT_EQ(code_of(too_many.bytes()), ErrorCode::kModelCorrupt);
  GgufWriter strings;
  strings.add("s", std::vector<std::string>(200000));
  EXPECT_EQ(code_of(strings.bytes()), ErrorCode::kOk);
}

}  // namespace
}  // namespace emberline
