// A right command of each op, bound to buffers of which only the extents are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "device/checks/command_check.h"
#include "device/command_changes.h"

namespace emberline::testing {

inline constexpr std::uint32_t kF32 = 0, kQ4_0 = 2;
inline constexpr std::uint64_t kBytes = 1 << 16;
inline constexpr BufferId kWeights = 100, kGrowing = 101;
inline constexpr std::uint32_t kRows = 4;
// Four pages of keys or values fit into a buffer.
inline constexpr std::uint32_t kPage = kKvPagePositions * 2 * 16 * 2;
inline constexpr std::uint32_t kHuge = std::numeric_limits<std::uint32_t>::max();

// Buffers 0 to 9 of 64 KB, loaded matrices, and a buffer that may grow to that size.
class SomeBuffers final : public BufferExtents {
 public:
  BufferExtent extent(BufferId id) const override {
    if (id < 10) return {kBytes, kBytes, false};
    if (id == kWeights) return {kBytes, kBytes, true};
    if (id == kGrowing) return {0, kBytes, false};
    return {};
  }
};

inline Binding at(BufferId id, std::uint64_t offset = 0) {
  return {id, offset};
}
inline Binding weight(std::uint64_t offset = 0) {
  return {kWeights, offset};
}
// Where `bytes` bytes just fit, and where they do not by 4.
inline Binding at_end(BufferId id, std::uint64_t bytes) {
  return {id, kBytes - bytes};
}
inline Binding past_end(BufferId id, std::uint64_t bytes) {
  return {id, kBytes - bytes + 4};
}

// A right command of each op for kRows rows, or for one, and how many bytes it touches at each slot.
struct RightCommand {
  Command command;
  std::vector<std::uint64_t> bytes;
  std::uint32_t rows = kRows;
};

inline constexpr std::uint64_t kFloats = kRows * 4;    // bytes of a column
inline constexpr std::uint64_t kChosen = kFloats + 4;  // row r gives token r + 1

inline RightCommand right(Op op) {
  switch (op) {
    case Op::kEmbedding:
      return {make_command(op, {at(0), weight(), at(2)}, EmbeddingParams{32, 16, kF32},
                           patched(Patch::kTokenOffset)),
              {kFloats, 32 * 16 * 4, 32 * kFloats}};
    case Op::kRmsNorm:
      return {make_command(op, {at(0), at(1), at(2), at(3)}, RmsNormParams{32, 1e-5f}),
              {32 * kFloats, 32 * 4, 32 * kFloats, 32 * 4}};
    case Op::kMatMul:
      return {make_command(op, {at(0), weight(), at(3), at(2)}, MatMulParams{64, 8, kF32, 0, 0}),
              {64 * kFloats, 64 * 8 * 4, 8 * 4, 8 * kFloats}};
    case Op::kRopeKvWrite:
      return {
          make_command(op, {at(0), at(1), at(2), at(3), at(4), at(5), at(6)},
                       RopeKvWriteParams{0, 4, 2, 16, 16, 0, 10000.0f, 64, kPage}, patched(Patch::kPosition)),
          {64 * kFloats, 32 * kFloats, 32 * kFloats, kPage, kPage, 4, 8 * 4}};
    case Op::kAttention:
      return {make_command(op, {at(0), at(3), at(4), at(1), at(5)},
                           AttentionParams{0, 4, 2, 16, 0.25f, 64, kPage}, patched(Patch::kPosition)),
              {64 * kFloats, kPage, kPage, 4, 64 * kFloats}};
    case Op::kGatedUnit:
      return {make_command(op, {at(0), at(1), at(2)}, GatedUnitParams{32}),
              {32 * kFloats, 32 * kFloats, 32 * kFloats}};
    case Op::kArgmax:
      return {make_command(op, {at(0), at(1), at(2)}, ArgmaxParams{100, 0}, patched(Patch::kArgmaxOutput)),
              {100 * kFloats, kChosen, kChosen}};
    case Op::kSoftCap: return {make_command(op, {at(0)}, SoftCapParams{100, 30.0f, 0}), {100 * kFloats}};
    case Op::kNormQkv:
      return {make_command(
                  op, {at(0), at(1), weight(), weight(), weight(), at(6), at(7), at(8), at(3), at(4), at(5)},
                  NormQkvParams{64, 1e-5f, 64, 32, kF32, kF32, kF32}),
              {64 * kFloats, 64 * 4, 64 * 64 * 4, 64 * 32 * 4, 64 * 32 * 4, 64 * 4, 32 * 4, 32 * 4,
               64 * kFloats, 32 * kFloats, 32 * kFloats}};
    case Op::kNormGateUp:
      return {make_command(op, {at(0), at(1), weight(), weight(), at(4)},
                           NormGateUpParams{64, 1e-5f, 96, kF32, kF32}),
              {64 * kFloats, 64 * 4, 64 * 96 * 4, 64 * 96 * 4, 96 * kFloats}};
    case Op::kNormMatMul:
      return {make_command(op, {at(0), at(1), weight(), at(3)}, NormMatMulParams{64, 1e-5f, 96, kF32, 0}),
              {64 * kFloats, 64 * 4, 64 * 96 * 4, 96 * kFloats}};
    case Op::kNormArgmax:
      return {make_command(op, {at(0), at(2), at(3), at(1), weight()}, NormArgmaxParams{64, 1e-5f, 100, kF32},
                           patched(Patch::kArgmaxOutput)),
              {64 * kFloats, kChosen, kChosen, 64 * 4, 64 * 100 * 4}};
    case Op::kRopeAttention:
      return {make_command(op, {at(0), at(1), at(2), at(3), at(4), at(6), at(5), at(7)},
                           RopeAttentionParams{0, 4, 2, 16, 16, 0, 10000.0f, 0.25f, 64, kPage},
                           patched(Patch::kPosition)),
              {64 * kFloats, 32 * kFloats, 32 * kFloats, kPage, kPage, 4, 64 * kFloats, 8 * 4}};
    case Op::kNormQkvRope:
      return {make_command(
                  op,
                  {at(0), at(1), weight(), weight(), weight(), at(7), at(8), at(9), at(3), at(4), at(5),
                   at(6), at(2)},
                  NormQkvRopeParams{64, 1e-5f, kF32, kF32, kF32, 0, 4, 2, 16, 16, 0, 10000.0f, 64, kPage},
                  patched(Patch::kPosition)),
              {64 * kFloats, 64 * 4, 64 * 64 * 4, 64 * 32 * 4, 64 * 32 * 4, 64 * 4, 32 * 4, 32 * 4,
               64 * kFloats, kPage, kPage, 4, 8 * 4}};
    case Op::kQkNormRope:
      return {make_command(op, {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)},
                           QkNormRopeParams{0, 4, 2, 16, 16, 0, 10000.0f, 64, kPage, 1e-5f, 16, 32},
                           patched(Patch::kPosition)),
              {64 * kFloats, 32 * kFloats, 32 * kFloats, kPage, kPage, 4, 8 * 4, 16 * 4, 32 * 4}};
    case Op::kAddNormQkv:
      return {make_command(op,
                           {at(0), at(1), weight(), weight(), weight(), at(6), at(7), at(8), at(3), at(4),
                            at(5), at(9), at(1), at(2)},
                           AddNormQkvParams{{64, 1e-5f, 64, 32, kF32, kF32, kF32}}),
              {64 * kFloats, 64 * 4, 64 * 64 * 4, 64 * 32 * 4, 64 * 32 * 4, 64 * 4, 32 * 4, 32 * 4,
               64 * kFloats, 32 * kFloats, 32 * kFloats, 64 * kFloats, 64 * 4, 64 * kFloats}};
    case Op::kAddNormGateUp:
      return {
          make_command(op, {at(0), at(1), weight(), weight(), at(4), at(5), at(6), at(2)},
                       AddNormGateUpParams{{64, 1e-5f, 96, kF32, kF32}}),
          {64 * kFloats, 64 * 4, 64 * 96 * 4, 64 * 96 * 4, 96 * kFloats, 64 * kFloats, 64 * 4, 64 * kFloats}};
    case Op::kGumbel:
      return {
          make_command(op, {at(0), at(1), at(2), at(3), at(4)}, GumbelParams{100}, patched(Patch::kPosition)),
          {400, 4, sizeof(SamplingBlock), 400, 4},
          1};
    case Op::kExperts:
      return {make_command(op, {at(0), at(1), weight(), weight(), weight(), at(2), at(3)},
                           ExpertsParams{32, 16, 8, 2, kF32, kF32, kF32}),
              {32 * kFloats, 8 * kFloats, 8 * 16 * 32 * 4, 8 * 16 * 32 * 4, 8 * 32 * 16 * 4, 2 * 16 * kFloats,
               32 * kFloats}};
  }
  return {};
}

}  // namespace emberline::testing
