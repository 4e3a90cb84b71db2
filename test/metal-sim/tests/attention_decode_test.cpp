// attention_decode against attention in double precision.
#include <gtest/gtest.h>

#include <cmath>

#include "attention_run.h"

namespace emberline::metal_sim {
namespace {

std::vector<float> decode(AttentionCase& test, Order order = {}, Counters* counters = nullptr) {
  AttentionRun run;
  run.order = order;
  run.decode(test);
  if (counters != nullptr) *counters = run.counters;
  return run.out;
}

void expect_near(const std::vector<float>& out, const AttentionCase& test) {
  const std::vector<double> expected = test.reference();
  const double tolerance = test.tolerance();
  ASSERT_EQ(out.size(), expected.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_LE(std::abs(out[i] - expected[i]), tolerance) << "element " << i << ", expected " << expected[i];
  }
}

TEST(AttentionDecode, AgreesForEveryShapeOfHead) {
  for (const std::uint32_t width : {16u, 48u, 64u, 80u, 96u, 128u, 256u}) {
    for (const std::uint32_t heads : {1u, 3u, 4u, 8u}) {
      SCOPED_TRACE(testing::Message() << "width " << width << ", " << heads << " query heads a KV head");
      AttentionCase test({width, heads, 2, 37, 2}, width + heads);
      expect_near(decode(test), test);
    }
  }
}

TEST(AttentionDecode, SharesAKvHeadAmongMoreHeadsThanAThreadgroupTakes) {
  for (const std::uint32_t heads : {2u, 5u, 7u, 9u, 16u}) {
    SCOPED_TRACE(heads);
    AttentionCase test({64, heads, 1, 70, 1}, heads);
    expect_near(decode(test), test);
  }
}

TEST(AttentionDecode, AgreesAtEveryLengthAcrossPages) {
  for (const std::uint32_t position :
       {0u, 1u, 2u, 14u, 15u, 16u, 31u, 63u, 127u, 254u, 255u, 256u, 257u, 299u, 511u, 512u, 599u}) {
    SCOPED_TRACE(position);
    AttentionCase test({64, 3, 1, position, 1}, position);
    expect_near(decode(test), test);
  }
}

TEST(AttentionDecode, DoesNotDependOnTheOrderOfThreads) {
  AttentionCase test({64, 3, 2, 300, 2});
  const std::vector<float> expected = decode(test);
  for (const Order& order : all_orders()) EXPECT_EQ(decode(test, order), expected);
}

TEST(AttentionDecode, ARowOfABatchHasTheBitsOfASingleForward) {
  for (const std::uint32_t position : {0u, 250u}) {
    AttentionCase batch({64, 3, 1, position, 16}, position);
    const std::vector<float> together = decode(batch);
    const std::size_t width = together.size() / 16;
    for (std::uint32_t r = 0; r < 16; ++r) {
      AttentionCase single = batch;
      single.shape.position = single.params.position = position + r;
      single.shape.rows = 1;
      const auto first = static_cast<std::ptrdiff_t>(r * width);
      single.q.assign(batch.q.begin() + first, batch.q.begin() + first + static_cast<std::ptrdiff_t>(width));
      const std::vector<float> alone = decode(single);
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + first))
          << "row " << r << " of position " << position;
    }
  }
}

// Windows that begin within a block, at its start, with the row's own entry alone, in another page than the
// row's and in front of everything; the scores deviate by about 2, so that a cap of 3 bends most of them.
TEST(AttentionDecode, AgreesThroughWindowsAndUnderCaps) {
  for (const std::uint32_t window : {0u, 1u, 7u, 32u, 33u, 300u, 1000u}) {
    for (const float cap : {0.0f, 3.0f, 50.0f}) {
      for (const AttentionShape& shape : {AttentionShape{64, 3, 2, 290, 3}, AttentionShape{256, 4, 1, 511, 2},
                                          AttentionShape{16, 8, 1, 31, 16}}) {
        SCOPED_TRACE(testing::Message() << "window " << window << ", cap " << cap << ", width "
                                        << shape.head_width << ", position " << shape.position);
        AttentionShape wanted = shape;
        wanted.window = window;
        wanted.soft_cap = cap;
        AttentionCase test(wanted, window);
        expect_near(decode(test), test);
      }
    }
  }
}

TEST(AttentionDecode, ARowOfABatchBehindAWindowHasTheBitsOfASingleForward) {
  AttentionCase batch({64, 3, 1, 250, 16, 20, 3.0f});
  const std::vector<float> together = decode(batch);
  const std::size_t width = together.size() / 16;
  for (std::uint32_t r = 0; r < 16; ++r) {
    AttentionCase single = batch;
    single.shape.position = single.params.position = 250 + r;
    single.shape.rows = 1;
    const auto first = batch.q.begin() + static_cast<std::ptrdiff_t>(r * width);
    single.q.assign(first, first + static_cast<std::ptrdiff_t>(width));
    const std::vector<float> alone = decode(single);
    EXPECT_TRUE(
        std::equal(alone.begin(), alone.end(), together.begin() + static_cast<std::ptrdiff_t>(r * width)))
        << "row " << r;
  }
}

TEST(AttentionDecode, ReadsTheEntriesOfItsWindowOnceAndNoOthers) {
  AttentionCase test({64, 3, 2, 290, 1, 100});
  Counters counters;
  decode(test, {}, &counters);
  EXPECT_EQ(test.valid_bytes, 100 * 2 * 64 * 2u);
  EXPECT_EQ(counters.bytes_read[3], test.valid_bytes);
  EXPECT_EQ(counters.bytes_read[4], test.valid_bytes);
}

// Scores of thousands, as no model has them, lie at the ends of a cap.
TEST(AttentionDecode, StaysFiniteAtBothEndsOfACap) {
  AttentionCase test({64, 1, 1, 40, 1, 0, 30.0f});
  for (float& value : test.q) value *= 10000;
  const std::vector<double> expected = test.reference();
  const std::vector<float> out = decode(test);
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], expected[i], 1e-4) << i;
}

TEST(AttentionDecode, ReadsEveryValidByteOfTheCacheOnce) {
  for (const std::uint32_t heads : {1u, 3u, 8u}) {
    for (const std::uint32_t width : {64u, 80u, 128u}) {
      SCOPED_TRACE(testing::Message() << width << " wide, " << heads << " heads");
      AttentionCase test({width, heads, 2, 290, 1});
      Counters counters;
      decode(test, {}, &counters);
      EXPECT_EQ(counters.bytes_read[3], test.valid_bytes);
      EXPECT_EQ(counters.bytes_read[4], test.valid_bytes);
      EXPECT_EQ(counters.bytes_written[6], test.q.size() * 4);
    }
  }
}

TEST(AttentionDecode, DoesNothingBehindTheEndOfAChain) {
  AttentionCase test({64, 3, 2, 40, 1});
  AttentionRun run;
  run.chained = true;
  run.halted = 1;
  run.decode(test);
  EXPECT_EQ(run.out, std::vector<float>(run.out.size(), AttentionRun::kUntouched));
  EXPECT_EQ(run.counters.bytes_read[3] + run.counters.bytes_read[4], 0u);
  run.halted = 0;
  run.decode(test);
  expect_near(run.out, test);
}

}  // namespace
}  // namespace emberline::metal_sim
