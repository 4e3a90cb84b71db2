// Packed weights are what the file's row-major ones were, and loading looks at every byte of them once.
#include "device/cpu/packed/packed_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "device/cpu/packed/load_matrices.h"
#include "reference/random_data.h"
#include "reference/reference_device.h"
#include "take.h"

namespace emberline::testing {
namespace {

class PackedMatrix : public ::testing::TestWithParam<TensorType> {
 protected:
  // Widths with every remainder that vector code could treat apart.
  static std::vector<std::size_t> widths() {
    if (traits(GetParam()).block_elements == 256) return {256, 512, 768};
    return traits(GetParam()).block_elements > 1 ? std::vector<std::size_t>{32, 64, 96, 128, 160, 576}
                                                 : std::vector<std::size_t>{1, 2, 3, 7, 8, 15, 16, 33, 101};
  }
};

// Each packed row against the same row of `source`. A value is d * q + m with one rounding of the product
// and one of the sum at most, each half a unit of 2^-23 of what it rounds.
void expect_rows(const MatrixShape& shape, const std::vector<std::uint8_t>& source,
                 const std::uint8_t* packed) {
  std::vector<float> actual(shape.columns);
  for (std::size_t row = 0; row < shape.rows; ++row) {
    widen_packed_row(shape, packed, row, actual.data());
    const std::vector<double> expected = widen_row(shape.type, source, row, shape.columns);
    for (std::size_t c = 0; c < shape.columns; ++c) {
      // |d * q| <= |value| + |m|, and random_weights' |m| is at most 4.5.
      const double tolerance = (std::abs(expected[c]) + 4.5) * 1.2e-7;
      ASSERT_NEAR(actual[c], expected[c], traits(shape.type).block_elements > 1 ? tolerance : 0.0)
          << "row " << row << " column " << c;
    }
  }
}

TEST_P(PackedMatrix, RowsAreThoseOfTheFile) {
  Random random(31);
  for (const std::size_t width : widths()) {
    for (const std::size_t rows : {1u, 2u, 15u, 16u, 17u, 31u, 48u, 53u}) {
      SCOPED_TRACE(::testing::Message() << rows << " x " << width);
      const MatrixShape shape{GetParam(), rows, width};
      const auto source = random_weights(GetParam(), rows, width, random);
      ASSERT_EQ(source.size(), rows * shape.source_row_bytes());
      std::vector<std::uint8_t> packed(shape.packed_bytes(), 0xA5);
      pack_panels(shape, source.data(), 0, shape.panels(), packed.data());
      expect_rows(shape, source, packed.data());
      if (HasFatalFailure()) return;
    }
  }
}

// What stands past the last row and the last column is zero: kernels compute with it.
TEST_P(PackedMatrix, PaddingIsZero) {
  Random random(32);
  for (const std::size_t width : widths()) {
    MatrixShape shape{GetParam(), 19, width};
    const auto source = random_weights(GetParam(), 19, width, random);
    std::vector<std::uint8_t> packed(shape.packed_bytes(), 0xA5);
    pack_panels(shape, source.data(), 0, shape.panels(), packed.data());
    // The same with rows of zeros to the end of the panel.
    std::vector<std::uint8_t> longer = source, expected(shape.packed_bytes(), 0xA5);
    longer.resize(32 * shape.source_row_bytes());
    shape.rows = 32;
    pack_panels(shape, longer.data(), 0, shape.panels(), expected.data());
    EXPECT_EQ(packed, expected);
    if (GetParam() == TensorType::kBF16 && width % 2 == 1) {
      const std::size_t last = shape.panel_bytes() - sizeof(PackedBf16);
      for (std::size_t i = 0; i < kPanelRows; ++i) {
        EXPECT_EQ(packed[last + 4 * i + 2], 0);
        EXPECT_EQ(packed[last + 4 * i + 3], 0);
      }
    }
  }
}

TEST_P(PackedMatrix, PanelsCanBePackedInAnyOrderAndWriteOnlyThemselves) {
  Random random(33);
  const std::size_t width = widths().back();
  const MatrixShape shape{GetParam(), 70, width};
  const auto source = random_weights(GetParam(), 70, width, random);
  std::vector<std::uint8_t> whole(shape.packed_bytes()), parts(shape.packed_bytes() + 64, 0xA5);
  pack_panels(shape, source.data(), 0, shape.panels(), whole.data());
  for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{3, 2}, {0, 1}, {1, 2}}) {
    pack_panels(shape, source.data(), first, count, parts.data());
  }
  EXPECT_TRUE(std::equal(whole.begin(), whole.end(), parts.begin()));
  EXPECT_TRUE(std::all_of(parts.end() - 64, parts.end(), [](std::uint8_t byte) { return byte == 0xA5; }));
}

INSTANTIATE_TEST_SUITE_P(AllTypes, PackedMatrix, ::testing::ValuesIn(kWeightTypes),
                         [](const auto& info) { return type_name(info.param); });

struct OwnedSource {
  TensorType type;
  std::uint32_t rows, columns;
  std::vector<std::uint8_t> data;
  MatrixSource view() const { return {data, type, rows, columns}; }
};

std::vector<OwnedSource> mixed_sources() {
  Random random(34);
  std::vector<OwnedSource> sources;
  for (const TensorType type : kWeightTypes) {
    // One that many claims are needed for, and one of a single row.
    for (const std::uint32_t rows : {5003u, 1u}) {
      sources.push_back({type, rows, 256, random_weights(type, rows, 256, random)});
    }
  }
  return sources;
}

std::vector<MatrixSource> views(const std::vector<OwnedSource>& sources) {
  std::vector<MatrixSource> all;
  for (const OwnedSource& source : sources) all.push_back(source.view());
  return all;
}

TEST(PackMatrices, EveryMatrixIsWholeForAnyNumberOfThreads) {
  const std::vector<OwnedSource> sources = mixed_sources();
  for (const int threads : {1, 2, 5}) {
    const auto pool = take(ThreadPool::create(threads));
    const PackedMatrices packed = take(load_packed(views(sources), {}, *pool));
    ASSERT_EQ(packed.layout.offsets.size(), sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      SCOPED_TRACE(::testing::Message() << type_name(sources[i].type) << " x " << sources[i].rows);
      EXPECT_EQ(packed.layout.offsets[i] % 64, 0u);
      const MatrixShape shape{sources[i].type, sources[i].rows, sources[i].columns};
      ASSERT_LE(packed.layout.offsets[i] + shape.packed_bytes(), packed.memory.bytes());
      std::vector<std::uint8_t> expected(shape.packed_bytes());
      pack_panels(shape, sources[i].data.data(), 0, shape.panels(), expected.data());
      EXPECT_TRUE(
          std::equal(expected.begin(), expected.end(), packed.memory.data() + packed.layout.offsets[i]));
    }
  }
}

TEST(PackMatrices, EverySourceByteIsConsumedOnce) {
  const std::vector<OwnedSource> sources = mixed_sources();
  const auto pool = take(ThreadPool::create(3));
  std::mutex mutex;
  std::vector<std::pair<const std::uint8_t*, std::size_t>> told, expected;
  const auto consumed = [&](std::span<const std::uint8_t> bytes) {
    const std::scoped_lock lock(mutex);
    told.emplace_back(bytes.data(), bytes.size());
  };
  take(load_packed(views(sources), {consumed, ""}, *pool));
  for (const OwnedSource& source : sources) expected.emplace_back(source.data.data(), source.data.size());
  // Neighbouring parts joined, they are the sources.
  std::sort(told.begin(), told.end());
  std::sort(expected.begin(), expected.end());
  std::size_t at = 0;
  for (const auto& [data, size] : expected) {
    std::size_t covered = 0;
    while (covered < size && at < told.size() && told[at].first == data + covered)
      covered += told[at++].second;
    EXPECT_EQ(covered, size);
  }
  EXPECT_EQ(at, told.size());
}

TEST(PackMatrices, RefusesSourcesThatAreNotTheirShape) {
  const auto pool = take(ThreadPool::create(1));
  const std::vector<std::uint8_t> data(4 * 18);
  const auto load = [&](MatrixSource source) { return load_packed({&source, 1}, {}, *pool).code(); };
  EXPECT_EQ(load({data, TensorType::kQ4_0, 4, 32}), ErrorCode::kOk);
  EXPECT_EQ(load({data, TensorType::kQ4_0, 2, 64}), ErrorCode::kOk);
  EXPECT_EQ(load({data, TensorType::kQ4_0, 5, 32}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(load({data, TensorType::kQ4_0, 4, 33}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(load({data, TensorType::kQ4_0, 0, 32}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(load({data, TensorType::kQ4_0, 4, 0}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(load({data, TensorType::kF32, 0xFFFFFFFFu, 0xFFFFFFFFu}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(load_packed({}, {}, *pool).code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace emberline::testing
