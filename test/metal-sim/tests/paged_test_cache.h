// Keys and values of one layer as the Metal kernels keep them: pages of [position][kv head][element] halves,
// in a pool that other layers share.
#pragma once

#include <cstdint>
#include <vector>

#include "device/op_params.h"
#include "product_launch.h"

namespace emberline::testing {

// Room for positions 0 .. 3 * kKvPagePositions - 1, whose pages lie in no order.
struct PagedTestCache {
  explicit PagedTestCache(std::uint32_t kv_width)
      : kv_width(kv_width),
        page_stride(2 * kKvPagePositions * kv_width * 2),
        pages(std::vector<std::uint32_t>{2, 0, 3}),
        keys(std::size_t{4} * page_stride / 2, kUntouched),
        values(std::size_t{4} * page_stride / 2, kUntouched) {}

  static constexpr std::uint16_t kUntouched = 0x7E5A;  // a NaN
  static constexpr std::uint32_t kContext = 3 * kKvPagePositions;

  std::size_t row_at(std::uint32_t position) {
    return std::size_t{pages.values()[position / kKvPagePositions]} * (page_stride / 2) +
           std::size_t{position % kKvPagePositions} * kv_width;
  }
  // Halves that somebody wrote.
  static std::size_t written(KernelBuffer<std::uint16_t>& cache) {
    std::size_t count = 0;
    for (const std::uint16_t half : cache.values()) count += half != kUntouched;
    return count;
  }

  std::uint32_t kv_width, page_stride;
  KernelBuffer<std::uint32_t> pages;
  KernelBuffer<std::uint16_t> keys, values;
};

}  // namespace emberline::testing
