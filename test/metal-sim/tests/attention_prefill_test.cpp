// attention_prefill against attention in double precision.
#include <gtest/gtest.h>

#include <cmath>

#include "attention_run.h"

namespace emberline::metal_sim {
namespace {

std::vector<float> prefill(AttentionCase& test, Order order = {}, Counters* counters = nullptr) {
  AttentionRun run;
  run.order = order;
  run.prefill(test);
  if (counters != nullptr) *counters = run.counters;
  return run.out;
}

// A matrix product adds head_width terms one after the other, or in any order.
void expect_near_product(const std::vector<float>& out, const AttentionCase& test) {
  const std::vector<double> expected = test.reference();
  const double tolerance = test.tolerance() * test.shape.head_width / 16.0;
  ASSERT_EQ(out.size(), expected.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_LE(std::abs(out[i] - expected[i]), tolerance) << "element " << i << ", expected " << expected[i];
  }
}

TEST(AttentionPrefill, AgreesForEveryShapeOfHead) {
  for (const std::uint32_t width : {16u, 32u, 48u, 64u, 80u, 96u, 128u, 256u}) {
    for (const std::uint32_t heads : {1u, 3u, 4u, 8u}) {
      SCOPED_TRACE(testing::Message() << "width " << width << ", " << heads << " query heads a KV head");
      AttentionCase test({width, heads, 2, 5, 17}, width + heads);
      expect_near_product(prefill(test), test);
    }
  }
}

TEST(AttentionPrefill, AgreesForOddRowsAndPositionsAcrossPages) {
  const AttentionShape shapes[] = {{64, 3, 1, 0, 1},    {64, 3, 1, 0, 33},   {64, 1, 1, 255, 2},
                                   {64, 1, 1, 250, 31}, {64, 3, 2, 513, 23}, {64, 4, 1, 31, 40},
                                   {256, 1, 1, 241, 18}};
  for (const AttentionShape& shape : shapes) {
    SCOPED_TRACE(testing::Message() << shape.rows << " rows from " << shape.position);
    AttentionCase test(shape, shape.rows);
    expect_near_product(prefill(test), test);
  }
}

// The tile has rows whose windows begin in different blocks, and rows that see none of a block which others
// see.
TEST(AttentionPrefill, AgreesThroughWindowsAndUnderCaps) {
  for (const std::uint32_t window : {1u, 2u, 7u, 32u, 33u, 300u, 1000u}) {
    for (const float cap : {0.0f, 3.0f, 50.0f}) {
      for (const AttentionShape& shape : {AttentionShape{64, 3, 2, 0, 40}, AttentionShape{64, 1, 1, 240, 45},
                                          AttentionShape{256, 2, 1, 250, 18}}) {
        SCOPED_TRACE(testing::Message() << "window " << window << ", cap " << cap << ", " << shape.rows
                                        << " rows from " << shape.position);
        AttentionShape wanted = shape;
        wanted.window = window;
        wanted.soft_cap = cap;
        AttentionCase test(wanted, window);
        expect_near_product(prefill(test), test);
      }
    }
  }
}

TEST(AttentionPrefill, ReadsWhatATileSeesThroughItsWindowsOnce) {
  // 32 rows are one tile, whose first row sees entries 91 to 100.
  AttentionCase test({64, 1, 1, 100, 32, 10});
  Counters counters;
  prefill(test, {}, &counters);
  EXPECT_EQ(test.valid_bytes, 41 * 64 * 2u);
  EXPECT_EQ(counters.bytes_read[3], test.valid_bytes);
  EXPECT_EQ(counters.bytes_read[4], test.valid_bytes);
}

TEST(AttentionPrefill, DoesNotDependOnTheOrderOfThreads) {
  AttentionCase test({64, 3, 2, 20, 30});
  const std::vector<float> expected = prefill(test);
  for (const Order& order : all_orders()) EXPECT_EQ(prefill(test, order), expected);
}

TEST(AttentionPrefill, ReadsTheCacheOnceATileOfRows) {
  // 22 rows of 3 heads are 66 queries, three tiles of 32: rows 0..10 (11 partly), 10..21 and 21.
  AttentionCase test({64, 3, 1, 0, 22});
  Counters counters;
  prefill(test, {}, &counters);
  const std::uint64_t entry_bytes = 64 * 2;
  EXPECT_EQ(counters.bytes_read[3], (11 + 22 + 22) * entry_bytes);
  EXPECT_EQ(counters.bytes_read[4], (11 + 22 + 22) * entry_bytes);
}

}  // namespace
}  // namespace emberline::metal_sim
