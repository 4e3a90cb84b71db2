// What every loop over packed blocks asks of one: its parts of 32 columns, alike for a block that is one and
// for a super-block of eight.
//
// Everything is in an unnamed namespace: kernel sets get copies of their own (kernels/kernels.h tells why).
#pragma once

#include "device/cpu/packed/packed_layout.h"

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

}  // namespace
}  // namespace emberline
