// However a batch is cut, whichever ops are fused and however many threads there are, a row's bits are the
// same, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/attention_ops.h"
#include "device/paged_cache.h"
#include "device/table_harness.h"
#include "reference/random_data.h"

namespace emberline::testing {
namespace {

// A sequence of positions given to the ops in batches; the results of all rows.
class Sequence {
 public:
  Sequence(const TestHeads& heads, std::uint32_t context, std::uint32_t type = kKvF16)
      : heads_(heads), context_(context), type_(type) {
    Random random(26);
    q_ = random.normals(context * heads.q_width());
    k_ = random.normals(context * heads.kv_width());
    v_ = random.normals(context * heads.kv_width());
  }

  std::vector<float> run(Device& device, const std::vector<std::uint32_t>& batches, bool fused,
                         const TestScores& scores = {}) const {
    TableHarness memory(device);
    const PagedCache cache(memory, heads_, context_, type_);
    std::vector<float> result;
    std::uint32_t at = 0;
    for (std::size_t i = 0; at < context_; ++i) {
      const std::uint32_t rows = std::min(batches[i % batches.size()], context_ - at);
      TableHarness table(device);
      const Binding q = slice(table, q_, at, rows), k = slice(table, k_, at, rows),
                    v = slice(table, v_, at, rows), out = table.zeros(rows * heads_.q_width() * 4);
      if (fused) {
        table.add(Op::kRopeAttention, {q, k, v, cache.keys(), cache.values(), cache.pages(), out},
                  cache.rope_attention(1, 1e5f, 0.2f, scores), Patch::kPosition);
      } else {
        table.add(Op::kRopeKvWrite, {q, k, v, cache.keys(), cache.values(), cache.pages()},
                  cache.rope(1, 1e5f), Patch::kPosition);
        table.add(Op::kAttention, {q, cache.keys(), cache.values(), cache.pages(), out},
                  cache.attention(0.2f, scores), Patch::kPosition);
      }
      table.run(rows, at);
      const auto part = table.read_floats(out, rows * heads_.q_width());
      result.insert(result.end(), part.begin(), part.end());
      at += rows;
    }
    return result;
  }

 private:
  Binding slice(TableHarness& table, const std::vector<float>& all, std::uint32_t at,
                std::uint32_t rows) const {
    const std::size_t width = all.size() / context_;
    return table.floats({all.begin() + static_cast<std::ptrdiff_t>(at * width),
                         all.begin() + static_cast<std::ptrdiff_t>((at + rows) * width)});
  }

  TestHeads heads_;
  std::uint32_t context_, type_;
  std::vector<float> q_, k_, v_;
};

TEST_P(AttentionOps, ARowHasTheSameBitsInAnyBatch) {
  const auto device = cpu_device(GetParam(), 2);
  for (const std::uint32_t type : kCacheTypes) {
    for (const TestHeads& heads : kHeadShapes) {
      SCOPED_TRACE(name(heads) + ", cache type " + std::to_string(type));
      const Sequence sequence(heads, 300, type);
      const auto together = sequence.run(*device, {300}, false);
      for (const bool fused : {false, true}) {
        EXPECT_EQ(sequence.run(*device, {1}, fused), together);
        EXPECT_EQ(sequence.run(*device, {16}, fused), together);
        EXPECT_EQ(sequence.run(*device, {17, 3, 64, 1}, fused), together);
      }
      EXPECT_EQ(sequence.run(*device, {300}, true), together);
    }
  }
}

TEST_P(AttentionOps, ARowOfAWindowHasTheSameBitsInAnyBatch) {
  const auto device = cpu_device(GetParam(), 2);
  for (const TestHeads& heads : {kHeadShapes[0], kHeadShapes[2], kHeadShapes[5]}) {
    for (const std::uint32_t window : kWindows) {
      SCOPED_TRACE(name(heads) + ", window " + std::to_string(window));
      const TestScores scores{window, window % 2 == 0 ? 0.0f : 30.0f};
      const Sequence sequence(heads, 400, window % 3 == 0 ? kKvF16 : kKvQ8_0);
      const auto together = sequence.run(*device, {400}, false, scores);
      EXPECT_EQ(sequence.run(*device, {1}, true, scores), together);
      EXPECT_EQ(sequence.run(*device, {16}, false, scores), together);
      EXPECT_EQ(sequence.run(*device, {17, 3, 64, 1}, true, scores), together);
      if (window == 299) continue;
      EXPECT_NE(sequence.run(*device, {400}, true, {window + 1, scores.cap}), together);
    }
  }
}

TEST_P(AttentionOps, ThreadsDecideNothing) {
  for (const std::uint32_t type : kCacheTypes) {
    for (const TestHeads& heads : {kHeadShapes[0], kHeadShapes[2]}) {
      const Sequence sequence(heads, 420, type);
      const auto expected = sequence.run(*cpu_device(GetParam(), 1), {200, 64, 5, 1}, true);
      for (int threads : {2, 3, 4}) {
        EXPECT_EQ(sequence.run(*cpu_device(GetParam(), threads), {200, 64, 5, 1}, true), expected);
      }
    }
  }
}

// Without room for every chunk's result a small batch is cut by rows like a large one.
TEST_P(AttentionOps, ALongContextGivesTheSameBitsHoweverABatchIsCut) {
  const TestHeads heads = {4, 2, 8, 8};
  const auto device = cpu_device(GetParam(), 2);
  const Sequence sequence(heads, 1500);
  const auto together = sequence.run(*device, {750}, true);
  EXPECT_EQ(sequence.run(*device, {1100, 16}, true), together);
  EXPECT_EQ(sequence.run(*device, {1100, 16, 1, 1, 9}, false), together);
}

}  // namespace
}  // namespace emberline::testing
