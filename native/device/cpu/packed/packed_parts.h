// What every loop over packed blocks asks of one: its parts of 32 columns, alike for a block that is one and
// for a super-block of eight. And the list of formats.
//
// Everything is in an unnamed namespace: kernel sets get copies of their own (kernels/kernels.h tells why).
#pragma once

#include "device/cpu/packed/packed_layout.h"
#include "gguf/tensor_type.h"

namespace emberline {
namespace {

template <typename Block>
constexpr bool kIsSuperBlock = requires(Block block) { block.parts; };

template <typename Block>
constexpr std::size_t kPartsOf = kIsSuperBlock<Block> ? kSuperBlockParts : 1;

// How many scales of their own a part's columns have: one for all, or one for each half.
template <typename Block>
constexpr std::size_t halves_of() {
  if constexpr (kIsSuperBlock<Block>) {
    return sizeof(Block::scales) / (kSuperBlockParts * kPanelRows);
  } else {
    return 1;
  }
}

template <typename Block>
struct PartType {
  using Type = Block;
};
template <typename Block>
  requires(kIsSuperBlock<Block>)
struct PartType<Block> {
  using Type = typename Block::Part;
};
template <typename Block>
using PartOf = typename PartType<Block>::Type;

template <typename Block>
constexpr const PartOf<Block>* parts_of(const Block& block) {
  if constexpr (kIsSuperBlock<Block>) {
    return block.parts;
  } else {
    return &block;
  }
}

// bits: of a weight as it is multiplied, 8 where it is signed. zero_point: what is to be taken off it.
template <typename B, int bits, int zero_point = 0>
struct Format {
  using Block = B;
  static constexpr int kBits = bits, kZeroPoint = zero_point;
  static constexpr std::size_t kHalves = halves_of<B>(), kParts = kPartsOf<B>;
  static constexpr bool kIsQuantized = bits <= 8;
};

// f of the format of a type.
template <typename F>
auto with_format(TensorType type, F f) {
  switch (type) {
    case TensorType::kF32: return f(Format<PackedF32, 32>{});
    case TensorType::kF16: return f(Format<PackedF16, 16>{});
    case TensorType::kBF16: return f(Format<PackedBf16, 16>{});
    case TensorType::kQ4_0: return f(Format<PackedQ4_0, 4, 8>{});
    case TensorType::kQ4_1: return f(Format<PackedQ4_1, 4>{});
    case TensorType::kQ5_0: return f(Format<PackedQ5_0, 5, 16>{});
    case TensorType::kQ5_1: return f(Format<PackedQ5_1, 5>{});
    case TensorType::kQ8_0: return f(Format<PackedQ8_0, 8>{});
    case TensorType::kQ2_K: return f(Format<PackedQ2_K, 6>{});
    case TensorType::kQ3_K: return f(Format<PackedQ3_K, 6, 32>{});
    case TensorType::kQ4_K: return f(Format<PackedQ4_K, 4>{});
    case TensorType::kQ5_K: return f(Format<PackedQ5_K, 5>{});
    case TensorType::kQ6_K: return f(Format<PackedQ6_K, 6, 32>{});
    case TensorType::kIQ4_NL: return f(Format<PackedIQ4_NL, 8>{});
    case TensorType::kIQ4_XS: return f(Format<PackedIQ4_XS, 8>{});
    case TensorType::kMXFP4: break;
  }
  return f(Format<PackedMXFP4, 8>{});
}

}  // namespace
}  // namespace emberline
