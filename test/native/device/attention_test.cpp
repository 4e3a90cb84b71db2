// Attention against the reference, on every instruction set: what a row sees of the KV cache, and of its
// pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "device/attention_ops.h"
#include "device/op_comparison.h"
#include "device/paged_cache.h"
#include "device/table_harness.h"
#include "reference/random_data.h"

namespace emberline::testing {
namespace {

std::vector<float> attend(Device& device, const TestHeads& heads, std::uint32_t rows, std::uint32_t position,
                          float sharpness, const TestScores& scores = {}) {
  Random random(25);
  const std::uint32_t context = position + rows;
  TableHarness table(device);
  const PagedCache cache(table, heads, context);
  const Binding q = table.floats(random.normals(rows * heads.q_width(), sharpness)),
                out = table.zeros(rows * heads.q_width() * 4);
  // A first table fills the cache; rotation is none.
  {
    TableHarness fill(device);
    RopeKvWriteParams none = cache.rope(0, 1.0f);
    none.rotary_width = 0;
    fill.add(
        Op::kRopeKvWrite,
        {fill.zeros(context * heads.q_width() * 4), fill.floats(random.normals(context * heads.kv_width())),
         fill.floats(random.normals(context * heads.kv_width())), cache.keys(), cache.values(),
         cache.pages()},
        none);
    fill.run(context);
  }
  table.add(Op::kAttention, {q, cache.keys(), cache.values(), cache.pages(), out},
            cache.attention(1.0f / std::sqrt(static_cast<float>(heads.width)), scores), Patch::kPosition);
  table.run(rows, position);
  return table.read_floats(out, rows * heads.q_width());
}

TEST_P(AttentionOps, AttentionFollowsTheReference) {
  for (const TestHeads& heads : kHeadShapes) {
    for (auto [rows, position] :
         {std::pair{1u, 0u}, {1u, 64u}, {1u, 300u}, {3u, 127u}, {33u, 90u}, {16u, 250u}}) {
      for (float sharpness : {1.0f, 20.0f}) {
        SCOPED_TRACE(::testing::Message() << name(heads) << ", " << rows << " rows from " << position);
        // A score's rounding error, about eps |q||k| / sqrt(d), scales its weight; values are of size 4 at
        // most.
        const double tolerance = 4 * 1.2e-7 * sharpness * (8 + std::sqrt(heads.width)) * 4;
        compare(GetParam(), tolerance,
                [&](Device& device) { return attend(device, heads, rows, position, sharpness); });
      }
    }
  }
}

TEST_P(AttentionOps, ARowSeesTheLastPositionsOfItsWindow) {
  for (const TestHeads& heads : {kHeadShapes[0], kHeadShapes[2], kHeadShapes[5]}) {
    for (const std::uint32_t window : kWindows) {
      for (auto [rows, position] :
           {std::pair{1u, 0u}, {1u, 300u}, {3u, 255u}, {33u, 90u}, {16u, 250u}, {70u, 200u}}) {
        SCOPED_TRACE(::testing::Message()
                     << name(heads) << ", window " << window << ", " << rows << " rows from " << position);
        const double tolerance = 4 * 1.2e-7 * (8 + std::sqrt(heads.width)) * 4;  // as above
        compare(GetParam(), tolerance,
                [&](Device& device) { return attend(device, heads, rows, position, 1.0f, {window}); });
      }
    }
  }
}

TEST_P(AttentionOps, ScoresMayBeCapped) {
  for (const TestHeads& heads : {kHeadShapes[0], kHeadShapes[2]}) {
    for (auto [rows, position] : {std::pair{1u, 300u}, {33u, 90u}}) {
      for (const std::uint32_t window : {0u, 50u}) {
        // As above, and the cap's own rounding.
        const double tolerance = 4 * 1.2e-7 * (20.0 * (8 + std::sqrt(heads.width)) + 50 * 4) * 4;
        compare(GetParam(), tolerance, [&](Device& device) {
          return attend(device, heads, rows, position, 20.0f, {window, 50.0f});
        });
      }
    }
  }
  // Not without effect.
  const auto device = cpu_device(GetParam());
  EXPECT_NE(attend(*device, kHeadShapes[0], 1, 300, 20.0f, {0, 10.0f}),
            attend(*device, kHeadShapes[0], 1, 300, 20.0f));
}

// A value that is not a number reaches the rows that see it, and no earlier row of its batch.
TEST_P(AttentionOps, ARowSeesNothingOfLaterRows) {
  const TestHeads heads = {6, 2, 16, 16};
  const auto device = cpu_device(GetParam(), 1);
  const auto expect_poisoned = [&](std::uint32_t rows, bool in_keys, std::uint32_t type) {
    TableHarness table(*device);
    const PagedCache cache(table, heads, 64, type);
    Random random(28);
    auto k = random.normals(rows * heads.kv_width()), v = random.normals(rows * heads.kv_width());
    (in_keys ? k : v)[5 * heads.kv_width()] = NAN;
    const Binding out = table.zeros(rows * heads.q_width() * 4);
    table.add(Op::kRopeAttention,
              {table.floats(random.normals(rows * heads.q_width())), table.floats(k), table.floats(v),
               cache.keys(), cache.values(), cache.pages(), out},
              cache.rope_attention(0, 100.0f, 0.3f));
    table.run(rows);
    const auto result = table.read_floats(out, rows * heads.q_width());
    for (std::size_t r = 0; r < rows; ++r) {
      const float* first_head = result.data() + r * heads.q_width();
      const bool poisoned = std::any_of(first_head, first_head + 16, [](float x) { return std::isnan(x); });
      EXPECT_EQ(poisoned, r >= 5) << "row " << r;
    }
  };
  for (const std::uint32_t rows : {9u, 40u}) {
    for (const bool in_keys : {false, true}) {
      for (const std::uint32_t type : kCacheTypes) expect_poisoned(rows, in_keys, type);
    }
  }
}

TEST_P(AttentionOps, APageOutsideTheCacheIsAnError) {
  const TestHeads heads = {2, 1, 16, 16};
  const auto device = cpu_device(GetParam(), 2);
  for (std::uint32_t rows : {1u, 40u}) {
    TableHarness table(*device);
    const PagedCache cache(table, heads, 600);
    const auto halves = [&](std::size_t width) { return table.zeros(rows * width * 4); };
    table.add(Op::kRopeAttention,
              {halves(heads.q_width()), halves(heads.kv_width()), halves(heads.kv_width()), cache.keys(),
               cache.values(), table.words({0, 5, 0xFFFFFFFFu}), halves(heads.q_width())},
              cache.rope_attention(0, 100.0f, 1.0f), Patch::kPosition);
    ASSERT_TRUE(table.prepare(rows).ok());
    Replay request;
    request.rows = rows;
    EXPECT_TRUE(table.replay(request).ok());
    for (std::uint32_t position : {300u, 520u}) {
      request.position = position;
      EXPECT_EQ(table.replay(request).code(), ErrorCode::kDeviceFailed);
    }
    request.position = 0;
    EXPECT_TRUE(table.replay(request).ok());
  }
}

// A table is prepared before its cache has memory; pages count once they are usable.
TEST_P(AttentionOps, PagesBecomeUsableAsTheCacheGrows) {
  const TestHeads heads = {2, 1, 16, 16};
  const auto device = cpu_device(GetParam(), 2);
  TableHarness table(*device);
  const auto plane = static_cast<std::uint32_t>(kv_page_bytes(heads.kv_heads, heads.width, kKvF16));
  const BufferId cache = device->reserve(20 * plane).value();
  const auto rows = [&](std::size_t width) { return table.zeros(width * 4); };
  table.add(Op::kRopeAttention,
            {rows(heads.q_width()),
             rows(heads.kv_width()),
             rows(heads.kv_width()),
             {cache, 0},
             {cache, plane},
             table.words({1, 0}),
             rows(heads.q_width())},
            RopeAttentionParams{0, heads.query_heads, heads.kv_heads, heads.width, heads.rotary, 0, 100.0f,
                                1.0f, 2 * kKvPagePositions, 2 * plane},
            Patch::kPosition);
  ASSERT_TRUE(table.prepare(1).ok());
  for (std::uint32_t pages = 0; pages <= 2; ++pages) {
    ASSERT_TRUE(device->grow(cache, std::size_t{2} * pages * plane).ok());
    EXPECT_EQ(table.replay(Replay{}).ok(), pages == 2) << pages << " pages";
  }
  device->release(cache);
}

INSTANTIATE_TEST_SUITE_P(AllKernels, AttentionOps, ::testing::ValuesIn(runnable_isas()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace emberline::testing
