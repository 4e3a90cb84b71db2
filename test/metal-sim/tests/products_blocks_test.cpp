// The kernels on blocks of which another implementation has said what they hold
// (test/fixtures/blocks/README.md).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "launch_shapes.h"
#include "product_launch.h"

namespace emberline::testing {
namespace {

constexpr std::uint32_t kElements = 512;

struct Blocks {
  explicit Blocks(TensorType type)
      : bytes(kElements / traits(type).block_elements * traits(type).block_bytes), values(kElements) {
    std::ifstream file(
        std::string(EMBERLINE_SOURCE_DIR) + "/test/fixtures/blocks/" + type_name(type) + ".bin",
        std::ios::binary);
    file.read(reinterpret_cast<char*>(bytes.values().data()), static_cast<std::streamsize>(bytes.count()));
    file.read(reinterpret_cast<char*>(values.data()), kElements * sizeof(float));
    EXPECT_TRUE(file.good());
  }
  KernelBuffer<std::uint8_t> bytes;
  std::vector<float> values;
};

class OtherBlocks : public ::testing::TestWithParam<TensorType> {
 protected:
  std::string kernel(const std::string& stem) const { return stem + "_" + kernel_suffix(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Types, OtherBlocks,
                         ::testing::Values(TensorType::kQ2_K, TensorType::kQ3_K, TensorType::kQ4_K,
                                           TensorType::kQ5_K, TensorType::kQ6_K, TensorType::kIQ4_NL,
                                           TensorType::kIQ4_XS, TensorType::kMXFP4),
                         [](const auto& info) { return type_name(info.param); });

// Of a difference of two products, of which either is up to 2 and may be rounded.
constexpr double kRounding = 2 * 2 * 0x1p-24;

TEST_P(OtherBlocks, AreEmbeddedAsAnotherImplementationReadsThem) {
  Blocks blocks(GetParam());
  KernelBuffer<std::uint32_t> tokens(1);
  KernelBuffer<float> out(kElements);
  KernelRun run(kernel("embedding"));
  run.params(EmbeddingParams{.width = kElements, .vocabulary = 1, .weight_type = type_id(GetParam())});
  run.bind(0, tokens).bind(1, blocks.bytes).bind(2, out).grid({1, 1, 1}, kRowKernelThreads).run();
  for (std::uint32_t i = 0; i < kElements; ++i)
    ASSERT_NEAR(out.values()[i], blocks.values[i], kRounding) << i;
}

// Rows of x with a single 1 in them take the weights out one by one: in batches of decode and of prefill.
TEST_P(OtherBlocks, AreMultipliedAsAnotherImplementationReadsThem) {
  Blocks blocks(GetParam());
  for (const std::uint32_t rows : {1u, 8u, 32u}) {
    // One row at a time is slow here: every seventh element.
    for (std::uint32_t first = 0; first < kElements; first += rows == 1 ? 7 : rows) {
      KernelBuffer<float> x(std::size_t{rows} * kElements), y(rows);
      for (std::uint32_t r = 0; r < rows; ++r) x.values()[r * kElements + first + r] = 1.0f;
      KernelRun run(kernel(rows > kMatVecMaxRows ? "mat_mat" : "mat_vec"));
      run.params(MatMulParams{.in = kElements,
                              .out = 1,
                              .weight_type = type_id(GetParam()),
                              .accumulate = 0,
                              .last_row_only = 0});
      run.bind(0, x).bind(1, blocks.bytes).bind(3, y);
      if (rows > kMatVecMaxRows) {
        run.mat_mat_grid(rows, 1);
      } else {
        run.mat_vec_grid(mat_vec_pairs(1), kElements, rows);
      }
      run.run();
      for (std::uint32_t r = 0; r < rows; ++r)
        ASSERT_NEAR(y.values()[r], blocks.values[first + r], kRounding) << "element " << first + r;
    }
  }
}

}  // namespace
}  // namespace emberline::testing
