#include <algorithm>
#include <array>

#include "device/cpu/stages/stages.h"

namespace emberline {
namespace {

constexpr std::size_t kPiece = 256;  // floats of a unit

// What a unit without `up` multiplies by.
constexpr std::array<float, kPiece> kOnes = [] {
  std::array<float, kPiece> ones{};
  for (float& one : ones) one = 1.0f;
  return ones;
}();

}  // namespace

std::size_t GatedUnitStage::units(const Step& step) const {
  return step.rows * ((width + kPiece - 1) / kPiece);
}

void GatedUnitStage::run(const Step&, Worker&, std::size_t begin, std::size_t end) const {
  const std::size_t pieces = (width + kPiece - 1) / kPiece;
  for (std::size_t unit = begin; unit < end; ++unit) {
    const std::size_t column = unit % pieces * kPiece;
    const std::size_t at = unit / pieces * width + column;
    gate_up(gate + at, up != nullptr ? up + at : kOnes.data(), std::min<std::size_t>(kPiece, width - column),
            out + at);
  }
}

std::size_t SoftCapStage::units(const Step& step) const {
  return (last_row_only ? 1 : step.rows) * ((width + kPiece - 1) / kPiece);
}

void SoftCapStage::run(const Step&, Worker&, std::size_t begin, std::size_t end) const {
  const std::size_t pieces = (width + kPiece - 1) / kPiece;
  for (std::size_t unit = begin; unit < end; ++unit) {
    const std::size_t column = unit % pieces * kPiece;
    float* piece = x + unit / pieces * width + column;
    kernels->soft_cap(piece, std::min<std::size_t>(kPiece, width - column), cap, piece);
  }
}

}  // namespace emberline
