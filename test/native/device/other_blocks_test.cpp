// Blocks of the less common formats, against what another implementation makes of the same bytes
// (test/fixtures/blocks/README.md).
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "device/cpu/packed/packed_matrix.h"
#include "reference/random_data.h"
#include "reference/reference_device.h"

namespace emberline::testing {
namespace {

constexpr std::size_t kElements = 512;

struct Blocks {
  std::vector<std::uint8_t> bytes;
  std::vector<float> values;
};

Blocks read(TensorType type) {
  std::ifstream file(std::string(EMBERLINE_SOURCE_DIR) + "/test/fixtures/blocks/" + type_name(type) + ".bin",
                     std::ios::binary);
  Blocks blocks;
  blocks.bytes.resize(kElements / traits(type).block_elements * traits(type).block_bytes);
  blocks.values.resize(kElements);
  file.read(reinterpret_cast<char*>(blocks.bytes.data()), static_cast<std::streamsize>(blocks.bytes.size()));
  file.read(reinterpret_cast<char*>(blocks.values.data()), kElements * sizeof(float));
  EXPECT_TRUE(file.good()) << "run scripts/reference/make_blocks.py";
  return blocks;
}

class OtherBlocks : public ::testing::TestWithParam<TensorType> {};

// Of a difference of two products each is rounded, the other implementation's and ours. 2 is the largest of
// either in the fixtures.
TEST_P(OtherBlocks, AreWhatAnotherImplementationMakesOfThem) {
  const Blocks blocks = read(GetParam());
  const MatrixShape shape{GetParam(), 1, kElements};
  std::vector<std::uint8_t> packed(shape.packed_bytes());
  pack_panels(shape, blocks.bytes.data(), 0, 1, packed.data());
  std::vector<float> actual(kElements);
  widen_packed_row(shape, packed.data(), 0, actual.data());
  const std::vector<double> reference = widen_row(GetParam(), blocks.bytes, 0, kElements);
  for (std::size_t i = 0; i < kElements; ++i) {
    ASSERT_LE(std::abs(blocks.values[i]), 2.0f);
    ASSERT_NEAR(actual[i], blocks.values[i], 1e-6) << i;
    ASSERT_NEAR(actual[i], reference[i], 1e-6) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, OtherBlocks,
                         ::testing::Values(TensorType::kQ2_K, TensorType::kQ3_K, TensorType::kQ4_K,
                                           TensorType::kQ5_K, TensorType::kQ6_K, TensorType::kIQ4_NL,
                                           TensorType::kIQ4_XS, TensorType::kMXFP4),
                         [](const auto& info) { return type_name(info.param); });

}  // namespace
}  // namespace emberline::testing
