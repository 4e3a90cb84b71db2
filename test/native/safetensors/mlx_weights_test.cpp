// MLX's groups unpacked, against the formula.
#include "safetensors/mlx_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "base/half.h"

namespace emberline {
namespace {

constexpr std::uint64_t kRows = 3, kColumns = 256;

struct Matrix {
  MlxGroups groups;
  std::vector<std::uint8_t> quants, scales, biases;
  SafetensorsTensor weight, scale, bias;
  std::vector<double> meant;

  // Scales of about 2^`exponent`, in bf16.
  Matrix(std::uint32_t bits, std::uint32_t width, int exponent) : groups{bits, width} {
    std::mt19937 random(bits * width);
    std::vector<bool> stream;
    const auto append = [&](std::vector<std::uint8_t>& to, double value) {
      const std::uint16_t half = f32_to_bf16(static_cast<float>(value));
      to.push_back(static_cast<std::uint8_t>(half & 0xFF));
      to.push_back(static_cast<std::uint8_t>(half >> 8));
      return bf16_to_f32(half);
    };
    for (std::uint64_t group = 0; group < kRows * kColumns / width; ++group) {
      const double s =
          append(scales, std::ldexp(1.0 + static_cast<double>(random() % 100) / 100.0, exponent));
      const double b = append(biases, -s * static_cast<double>(random() % (1u << bits)));
      for (std::uint32_t i = 0; i < width; ++i) {
        const auto quant = static_cast<std::uint32_t>(random() % (1u << bits));
        for (std::uint32_t bit = 0; bit < bits; ++bit) stream.push_back((quant >> bit & 1) != 0);
        meant.push_back(s * quant + b);
      }
    }
    quants.resize(stream.size() / 8);
    for (std::size_t i = 0; i < stream.size(); ++i)
      quants[i / 8] = static_cast<std::uint8_t>(quants[i / 8] | (stream[i] ? 1 : 0) << i % 8);
    weight = {"w.weight", "U32", {kRows, kColumns * bits / 32}, quants};
    scale = {"w.scales", "BF16", {kRows, kColumns / width}, scales};
    bias = {"w.biases", "BF16", {kRows, kColumns / width}, biases};
  }

  Result<std::vector<std::uint8_t>> unpacked() const {
    const auto matrix = mlx_matrix(weight, scale, bias, groups);
    if (!matrix.ok()) return matrix.error();
    const TensorTypeTraits& layout = traits(engine_type(groups));
    std::vector<std::uint8_t> bytes(kRows * kColumns / layout.block_elements * layout.block_bytes);
    const Status status = unpack(matrix.value(), bytes);
    if (!status.ok()) return status;
    return bytes;
  }
};

float half_at(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  return f16_to_f32(static_cast<std::uint16_t>(bytes[at] | bytes[at + 1] << 8));
}

TEST(MlxWeights, FourBitsBecomeBlocksOfTheSameNumbers) {
  for (const std::uint32_t width : {32u, 64u, 128u}) {
    const Matrix matrix(4, width, -6);
    const auto bytes = matrix.unpacked();
    ASSERT_TRUE(bytes.ok());
    for (std::size_t i = 0; i < kRows * kColumns; ++i) {
      const std::size_t block = i / 32 * 20, at = i % 32;
      const std::uint8_t pair = bytes.value()[block + 4 + at % 16];
      const double value = double{half_at(bytes.value(), block)} * (at < 16 ? pair & 15 : pair >> 4) +
                           double{half_at(bytes.value(), block + 2)};
      ASSERT_EQ(value, matrix.meant[i]) << width << " " << i;
    }
  }
}

TEST(MlxWeights, SmallScalesAreRoundedByTheStepOfDenormals) {
  const Matrix matrix(4, 32, -20);
  const auto bytes = matrix.unpacked();
  ASSERT_TRUE(bytes.ok());
  for (std::size_t i = 0; i < kRows * kColumns; ++i) {
    const std::size_t block = i / 32 * 20, at = i % 32;
    const std::uint8_t pair = bytes.value()[block + 4 + at % 16];
    const double value = double{half_at(bytes.value(), block)} * (at < 16 ? pair & 15 : pair >> 4) +
                         double{half_at(bytes.value(), block + 2)};
    ASSERT_NEAR(value, matrix.meant[i], (15 + 1) * std::ldexp(1.0, -25));
  }
}

TEST(MlxWeights, SixAndEightBitsBecomeHalves) {
  for (const std::uint32_t bits : {6u, 8u}) {
    for (const std::uint32_t width : {32u, 64u, 128u}) {
      const Matrix matrix(bits, width, -6);
      const auto bytes = matrix.unpacked();
      ASSERT_TRUE(bytes.ok());
      for (std::size_t i = 0; i < kRows * kColumns; ++i) {
        ASSERT_EQ(half_at(bytes.value(), 2 * i), f16_to_f32(f32_to_f16(static_cast<float>(matrix.meant[i]))))
            << bits << " " << i;
      }
    }
  }
}

TEST(MlxWeights, WhatHalvesDoNotHoldIsRefused) {
  for (const std::uint32_t bits : {4u, 8u}) {
    const auto bytes = Matrix(bits, 64, 20).unpacked();
    ASSERT_FALSE(bytes.ok());
    EXPECT_EQ(bytes.code(), ErrorCode::kModelTensorTypeUnsupported);
    EXPECT_NE(bytes.error().message().find("w.weight"), std::string::npos);
  }
}

TEST(MlxWeights, ShapesHaveToAgree) {
  const auto refused = [](auto change) {
    Matrix matrix(4, 64, -6);
    change(matrix);
    return matrix.unpacked().code() == ErrorCode::kModelTensorShape;
  };
  EXPECT_TRUE(refused([](Matrix& m) { m.groups.width = 32; }));
  EXPECT_TRUE(refused([](Matrix& m) { m.groups.bits = 8; }));
  EXPECT_TRUE(refused([](Matrix& m) { m.scale.shape[0] = 2; }));
  EXPECT_TRUE(refused([](Matrix& m) { m.scale.type = "U16"; }));
  EXPECT_TRUE(refused([](Matrix& m) { m.bias.type = "F16"; }));
  EXPECT_TRUE(refused([](Matrix& m) { m.bias.shape = {kRows}; }));
  EXPECT_TRUE(refused([](Matrix& m) { m.weight.type = "I32"; }));
}

}  // namespace
}  // namespace emberline
