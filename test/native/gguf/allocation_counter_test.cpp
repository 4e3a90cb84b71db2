#include "allocation_counter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

namespace emberline {
namespace {

TEST(AllocationCounter, CountsBothFormsOfNew) {
  constexpr std::size_t kBytes = 1000;
  const testing::AllocationCounter counter;
  void* const thrown = ::operator new(kBytes);
  void* const silent = ::operator new(kBytes, std::nothrow);
  EXPECT_EQ(counter.peak_bytes(), 2 * kBytes);
  ::operator delete(silent);
  ::operator delete(thrown);
}

TEST(AllocationCounter, TakesBackWhatTheStandardLibraryAskedForQuietly) {
  std::vector<int> numbers(1000, 1);
  const testing::AllocationCounter counter;
  std::stable_sort(numbers.begin(), numbers.end());
  const std::size_t sorted = counter.peak_bytes();
  std::stable_sort(numbers.begin(), numbers.end());
  EXPECT_EQ(counter.peak_bytes(), sorted) << "the buffer of the first sort is still counted";
}

}  // namespace
}  // namespace emberline
