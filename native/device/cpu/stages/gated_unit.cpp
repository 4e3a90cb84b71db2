#include <algorithm>

#include "device/cpu/stages/stages.h"

namespace emberline {
namespace {

constexpr std::size_t kPiece = 256;  // floats of a unit

}  // namespace

std::size_t GatedUnitStage::units(const Step& step) const {
  return step.rows * ((width + kPiece - 1) / kPiece);
}

void GatedUnitStage::run(const Step&, Worker&, std::size_t begin, std::size_t end) const {
  const std::size_t pieces = (width + kPiece - 1) / kPiece;
  for (std::size_t unit = begin; unit < end; ++unit) {
    const std::size_t column = unit % pieces * kPiece;
    const std::size_t at = unit / pieces * width + column;
    gate_up(gate + at, up + at, std::min<std::size_t>(kPiece, width - column), out + at);
  }
}

}  // namespace emberline
