#include "base/address_range.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <utility>

namespace emberline {
namespace {

TEST(AddressRange, GrowsWhereItIsAndStartsAsZeros) {
  AddressRange range;
  ASSERT_TRUE(range.reserve(std::size_t{1} << 30));
  EXPECT_EQ(range.bytes(), 0u);
  const std::uint8_t* const at = range.data();
  std::size_t written = 0;
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{5000}, std::size_t{5000}, std::size_t{3 << 20}}) {
    ASSERT_TRUE(range.grow(bytes));
    EXPECT_EQ(range.bytes(), bytes);
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(range.data()[i], i < written ? 7 : 0) << i;
    std::memset(range.data(), 7, bytes);
    written = bytes;
  }
  ASSERT_TRUE(range.grow(10));
  EXPECT_EQ(range.bytes(), std::size_t{3 << 20});  // never less
  EXPECT_EQ(range.data(), at);
}

TEST(AddressRange, RefusesWhatCannotBe) {
  AddressRange range;
  EXPECT_FALSE(range.reserve(std::numeric_limits<std::size_t>::max() / 2));
  EXPECT_EQ(range.data(), nullptr);
  ASSERT_TRUE(range.reserve(100000));
  EXPECT_FALSE(range.grow(100001));
  EXPECT_EQ(range.bytes(), 0u);
  EXPECT_TRUE(range.grow(100000));
}

TEST(AddressRange, MovesWithItsMemory) {
  AddressRange range;
  ASSERT_TRUE(range.reserve(100000) && range.grow(100));
  range.data()[99] = 3;
  AddressRange other = std::move(range);
  EXPECT_EQ(range.data(), nullptr);
  EXPECT_EQ(other.data()[99], 3);
  AddressRange third;
  third = std::move(other);
  EXPECT_EQ(third.data()[99], 3);
  EXPECT_EQ(third.reserved(), 100000u);
}

}  // namespace
}  // namespace emberline
