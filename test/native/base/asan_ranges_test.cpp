// cmake/asan_ranges.h, where tests are sanitized.
#if defined(EMBERLINE_ASAN_RANGES)

#include "asan_ranges.h"

#include <gtest/gtest.h>
#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <vector>

// What is called ahead of an access of an unusual size.
extern "C" void __asan_loadN(std::uintptr_t address, std::size_t bytes);
extern "C" void __asan_storeN(std::uintptr_t address, std::size_t bytes);

namespace emberline {
namespace {

bool is_surely_addressable(const char* begin, std::size_t bytes) {
  return surely_addressable(reinterpret_cast<std::uintptr_t>(begin), bytes);
}

// Whole granules, each alone and none: what is told at a glance is all that there is to say.
TEST(AsanRanges, UpToSixtyFourBytesAreSurelyAddressableWhereNothingIsPoisoned) {
  constexpr std::size_t kGranule = 8, kHeld = 200, kMostBytes = 80;
  alignas(kGranule) static char block[kHeld];
  for (std::size_t poisoned = 0; poisoned <= kHeld; poisoned += kGranule) {
    if (poisoned < kHeld) __asan_poison_memory_region(block + poisoned, kGranule);
    for (std::size_t at = 0; at < kHeld; ++at) {
      for (std::size_t bytes = 1; bytes <= std::min(kMostBytes, kHeld - at); ++bytes) {
        const bool is_free = at + bytes <= poisoned || at >= poisoned + kGranule;
        const bool is_sure = is_surely_addressable(block + at, bytes);
        ASSERT_TRUE(bytes <= 64 ? is_sure == is_free : is_free || !is_sure)
            << bytes << " bytes from " << at << " on, poisoned from " << poisoned << " on";
      }
    }
    if (poisoned < kHeld) __asan_unpoison_memory_region(block + poisoned, kGranule);
  }
}

// Its last granule holds less than 8 bytes, and as much as `kBehind` bytes behind it are no other block's.
TEST(AsanRanges, WhatReachesBeyondABlockIsNeverSurelyAddressable) {
  constexpr std::size_t kMostBytes = 80, kBehind = 16;
  std::size_t sure = 0;
  for (std::size_t held = 1; held < 150; ++held) {
    const std::vector<char> block(held);
    for (std::size_t at = 0; at < held + kBehind; ++at) {
      for (std::size_t bytes = 1; bytes <= kMostBytes; ++bytes) {
        if (!is_surely_addressable(block.data() + at, bytes)) continue;
        ++sure;
        ASSERT_LE(at + bytes, held) << bytes << " bytes from " << at << " on, of " << held;
      }
    }
  }
  EXPECT_GT(sure, 100'000u);
}

TEST(AsanRangesDeathTest, WhatReachesBeyondTheEndIsReported) {
  const std::vector<char> block(100);
  const auto end = reinterpret_cast<std::uintptr_t>(block.data() + block.size());
  for (const std::size_t bytes : {3u, 32u, 64u, 90u}) {
    __asan_loadN(end - bytes, bytes);
    __asan_storeN(end - bytes, bytes);
    EXPECT_DEATH(__asan_loadN(end + 1 - bytes, bytes), "heap-buffer-overflow");
    EXPECT_DEATH(__asan_storeN(end + 1 - bytes, bytes), "heap-buffer-overflow");
  }
}

}  // namespace
}  // namespace emberline

#endif
