// Rope, the KV cache and attention against the reference, on every instruction set, and against themselves:
// however a batch is cut and whichever ops are fused, a row's bits are the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/half.h"
#include "device/cpu/stages/kv_pages.h"
#include "device/op_comparison.h"
#include "device/paged_cache.h"
#include "device/random_data.h"
#include "device/table_harness.h"

namespace emberline::testing {
namespace {

class AttentionOps : public ::testing::TestWithParam<std::string> {};

constexpr TestHeads kHeadShapes[] = {{9, 3, 64, 64},  {4, 4, 8, 8},    {6, 2, 20, 12},
                                     {2, 1, 128, 64}, {14, 2, 16, 16}, {70, 1, 8, 8}};

constexpr std::uint32_t kCacheTypes[] = {kKvF16, kKvQ8_0};

std::string name(const TestHeads& heads) {
  return std::to_string(heads.query_heads) + " heads of " + std::to_string(heads.width);
}

// Keys and values of positions [0, context) as the device keeps them, in order.
std::vector<float> read_cache(Device& device, TableHarness& memory, const PagedCache& cache,
                              const TestHeads& heads, std::uint32_t context) {
  const std::size_t page_halves = cache.stride() / 2;
  const std::size_t pages = *std::max_element(cache.ids().begin(), cache.ids().end()) + 1;
  std::vector<float> all = memory.read_halves(cache.keys(), page_halves * pages);
  const bool transposed = std::string(device.name()) == "cpu";
  std::vector<float> rows;
  for (std::size_t plane = 0; plane < 2; ++plane) {
    for (std::size_t p = 0; p < context; ++p) {
      const float* page =
          all.data() + cache.ids()[p / kKvPagePositions] * page_halves + plane * page_halves / 2;
      const std::size_t at = p % kKvPagePositions;
      for (std::size_t head = 0; head < heads.kv_heads; ++head) {
        const float* head_page = page + head * kKvPagePositions * heads.width;
        for (std::size_t i = 0; i < heads.width; ++i) {
          if (!transposed) {
            rows.push_back(page[at * heads.kv_width() + head * heads.width + i]);
          } else if (plane == 0) {
            rows.push_back(
                head_page[at / kKeyBlock * kKeyBlock * heads.width + i * kKeyBlock + at % kKeyBlock]);
          } else {
            rows.push_back(head_page[at * heads.width + i]);
          }
        }
      }
    }
  }
  return rows;
}

// In one command and in two, as a batch and alone.
TEST_P(AttentionOps, FactorsDivideTheAnglesOfTheirPairs) {
  const TestHeads heads{6, 2, 20, 12};
  const std::uint32_t context = 300, rows = 20, position = 250;
  Random random(29);
  const auto q = random.normals(rows * heads.q_width()), k = random.normals(rows * heads.kv_width()),
             v = random.normals(rows * heads.kv_width());
  const std::vector<float> factors = {1.0f, 1.5f, 2.0f, 4.0f, 8.0f, 32.0f};
  for (const std::uint32_t count : {1u, rows}) {
    const auto run = [&](bool in_one) {
      return [&, in_one](Device& device) {
        TableHarness table(device);
        const PagedCache cache(table, heads, context);
        const Binding queries = table.floats(q), out = table.zeros(4 * q.size());
        if (in_one && device.offers(Op::kRopeAttention, count)) {
          table.add(Op::kRopeAttention,
                    {queries, table.floats(k), table.floats(v), cache.keys(), cache.values(), cache.pages(),
                     out, table.floats(factors)},
                    cache.rope_attention(1, 1e4f, 0.25f), Patch::kPositionAndKv,
                    offsetof(RopeAttentionParams, position), offsetof(RopeAttentionParams, kv_length));
        } else {
          table.add(Op::kRopeKvWrite,
                    {queries, table.floats(k), table.floats(v), cache.keys(), cache.values(), cache.pages(),
                     table.floats(factors)},
                    cache.rope(1, 1e4f), Patch::kPosition, offsetof(RopeKvWriteParams, position));
          table.add(Op::kAttention, {queries, cache.keys(), cache.values(), cache.pages(), out},
                    cache.attention(0.25f), Patch::kPositionAndKv, offsetof(AttentionParams, position),
                    offsetof(AttentionParams, kv_length));
        }
        table.run(count, position);
        return table.read_floats(out, count * heads.q_width());
      };
    };
    // Values of about 4 at most, rounded to 11 bits, and averaged.
    compare(GetParam(), 0x1p-9, run(false));
    compare(GetParam(), 0x1p-9, run(true));
  }
}

TEST_P(AttentionOps, RopeRotatesAndWritesTheCache) {
  for (const TestHeads& heads : kHeadShapes) {
    for (std::uint32_t style : {0u, 1u}) {
      SCOPED_TRACE(name(heads) + ", style " + std::to_string(style));
      Random random(24);
      const std::uint32_t context = 2060, rows = 40, position = 2017;
      const auto q = random.normals(rows * heads.q_width()), k = random.normals(rows * heads.kv_width()),
                 v = random.normals(rows * heads.kv_width());
      // f16 values up to about 4 (half a unit in the last place is 2^-10), and rounding once more where
      // float32 differs.
      compare(GetParam(), 0x1p-9, [&](Device& device) {
        TableHarness table(device);
        const PagedCache cache(table, heads, context);
        table.add(
            Op::kRopeKvWrite,
            {table.floats(q), table.floats(k), table.floats(v), cache.keys(), cache.values(), cache.pages()},
            cache.rope(style, 10000.0f), Patch::kPosition, offsetof(RopeKvWriteParams, position));
        table.run(rows, position);
        return read_cache(device, table, cache, heads, context);
      });
      compare(GetParam(), 1e-5, [&](Device& device) {
        TableHarness table(device);
        const PagedCache cache(table, heads, context);
        const Binding qs = table.floats(q);
        table.add(Op::kRopeKvWrite,
                  {qs, table.floats(k), table.floats(v), cache.keys(), cache.values(), cache.pages()},
                  cache.rope(style, 10000.0f, position));
        table.run(rows);
        return table.read_floats(qs, rows * heads.q_width());
      });
    }
  }
}

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
            cache.attention(1.0f / std::sqrt(static_cast<float>(heads.width)), scores), Patch::kPositionAndKv,
            offsetof(AttentionParams, position), offsetof(AttentionParams, kv_length));
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

// Windows of less than a chunk and of several, that begin in, on and between the edges of chunks.
constexpr std::uint32_t kWindows[] = {1, 5, 64, 127, 128, 129, 200, 299};

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

// Keys and values of positions [0, context) as a kKvQ8_0 cache of the CPU has them: [2, context, kv_width].
std::vector<double> read_quants(TableHarness& memory, const PagedCache& cache, const TestHeads& heads,
                                std::uint32_t context) {
  const std::size_t pages = *std::max_element(cache.ids().begin(), cache.ids().end()) + 1;
  std::vector<std::uint32_t> words = memory.read_words(cache.keys(), cache.stride() * pages / 4);
  std::uint64_t usable = cache.stride() * pages;
  const std::vector<std::uint32_t>& ids = cache.ids();
  KvPages view;
  auto* bytes = reinterpret_cast<std::uint8_t*>(words.data());
  view.keys = {bytes, cache.stride() / 2, &usable};
  view.values = {bytes + cache.stride() / 2, cache.stride(), &usable};
  view.table = ids.data();
  view.page_stride = cache.stride();
  view.pages = static_cast<std::uint32_t>(pages);
  view.head_width = heads.width;
  view.cache_type = kKvQ8_0;
  std::vector<double> rows;
  for (const bool values : {false, true}) {
    for (std::size_t p = 0; p < context; ++p) {
      for (std::size_t i = 0; i < heads.kv_width(); ++i) {
        const std::size_t head = i / heads.width, at = i % heads.width, block = at / kKvBlockElements;
        const KvPages::Quants from = values ? view.value_quants(head, p) : view.key_quants(head, p);
        const std::size_t key = p % kKeyBlock, value = p % kAttentionChunk;
        const double quant =
            values ? from.quants[value * heads.width + at] : from.quants[at * kKeyBlock + key];
        const std::uint16_t scale = values ? from.scales[value * kv_blocks(heads.width) + block]
                                           : from.scales[block * kKeyBlock + key];
        rows.push_back(quant * f16_to_f32(scale));
      }
    }
  }
  return rows;
}

// Softmax of the scores over what row `position` sees, times the values, in double precision: `kv` is [2,
// context, kv_width].
std::vector<double> attend_slowly(const std::vector<double>& kv, const std::vector<float>& q,
                                  const TestHeads& heads, std::size_t position, double scale,
                                  const TestScores& scores) {
  const std::size_t plane = kv.size() / 2, d = heads.width, entries = position + 1;
  const std::size_t first = scores.window == 0 || entries <= scores.window ? 0 : entries - scores.window;
  std::vector<double> out(heads.q_width());
  for (std::size_t head = 0; head < heads.query_heads; ++head) {
    const std::size_t kv_head = head / (heads.query_heads / heads.kv_heads);
    std::vector<double> weights;
    double total = 0;
    for (std::size_t j = first; j < entries; ++j) {
      double score = 0;
      for (std::size_t i = 0; i < d; ++i)
        score += q[head * d + i] * kv[j * heads.kv_width() + kv_head * d + i];
      score *= scale;
      if (scores.cap != 0.0f) score = scores.cap * std::tanh(score / scores.cap);
      weights.push_back(std::exp(score));
      total += weights.back();
    }
    for (std::size_t j = first; j < entries; ++j) {
      for (std::size_t i = 0; i < d; ++i)
        out[head * d + i] += weights[j - first] / total * kv[plane + j * heads.kv_width() + kv_head * d + i];
    }
  }
  return out;
}

// What is written is within half a step of what was given, and attention is that over what was written.
TEST_P(AttentionOps, AQuantizedCacheIsReadAsWhatItHolds) {
  for (const TestHeads& heads : {TestHeads{9, 3, 64, 0}, TestHeads{6, 2, 20, 0}, TestHeads{4, 4, 8, 0},
                                 TestHeads{4, 2, 80, 0}, TestHeads{2, 1, 128, 0}, TestHeads{4, 1, 256, 0}}) {
    for (const TestScores& scores : {TestScores{}, TestScores{100, 30.0f}}) {
      for (const std::uint32_t rows : {1u, 16u, 70u}) {
        SCOPED_TRACE(::testing::Message()
                     << name(heads) << ", " << rows << " rows, window " << scores.window);
        const std::uint32_t context = 330, position = context - rows;
        Random random(31);
        const auto k = random.normals(context * heads.kv_width()),
                   v = random.normals(context * heads.kv_width());
        const auto q = random.normals(rows * heads.q_width());
        const auto device = cpu_device(GetParam(), 2);
        TableHarness fill(*device), table(*device);
        const PagedCache cache(fill, heads, context, kKvQ8_0);
        fill.add(Op::kRopeKvWrite,
                 {fill.zeros(context * heads.q_width() * 4), fill.floats(k), fill.floats(v), cache.keys(),
                  cache.values(), cache.pages()},
                 cache.rope(0, 1.0f));
        fill.run(context);
        const std::vector<double> held = read_quants(fill, cache, heads, context);
        for (std::size_t i = 0; i < held.size(); ++i) {
          const bool of_keys = i < k.size();
          const std::size_t at = of_keys ? i : i - k.size(), row = at / heads.width * heads.width;
          const std::size_t first = row + (at - row) / kKvBlockElements * kKvBlockElements;
          const std::size_t end = std::min<std::size_t>(first + kKvBlockElements, row + heads.width);
          const std::vector<float>& given = of_keys ? k : v;
          double largest = 0;
          for (std::size_t e = first; e < end; ++e) largest = std::max(largest, std::fabs(double{given[e]}));
          ASSERT_LE(std::fabs(held[i] - given[at]), largest / 127 / 2 * (1 + 0x1p-9)) << "element " << i;
        }
        const float scale = 1.0f / std::sqrt(static_cast<float>(heads.width));
        const Binding out = table.zeros(rows * heads.q_width() * 4);
        table.add(Op::kAttention, {table.floats(q), cache.keys(), cache.values(), cache.pages(), out},
                  cache.attention(scale, scores), Patch::kPositionAndKv, offsetof(AttentionParams, position),
                  offsetof(AttentionParams, kv_length));
        table.run(rows, position);
        const std::vector<float> result = table.read_floats(out, rows * heads.q_width());
        // As in AttentionFollowsTheReference, and the cap's own rounding.
        const double tolerance = 4 * 1.2e-7 * (8 + std::sqrt(heads.width) + scores.cap) * 4;
        for (std::size_t r = 0; r < rows; ++r) {
          const std::vector<float> row(q.begin() + static_cast<std::ptrdiff_t>(r * heads.q_width()),
                                       q.begin() + static_cast<std::ptrdiff_t>((r + 1) * heads.q_width()));
          const auto expected = attend_slowly(held, row, heads, position + r, scale, scores);
          for (std::size_t i = 0; i < expected.size(); ++i)
            ASSERT_NEAR(result[r * heads.q_width() + i], expected[i], tolerance) << "row " << r;
        }
      }
    }
  }
}

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
                  cache.rope_attention(1, 1e5f, 0.2f, scores), Patch::kPositionAndKv,
                  offsetof(RopeAttentionParams, position), offsetof(RopeAttentionParams, kv_length));
      } else {
        table.add(Op::kRopeKvWrite, {q, k, v, cache.keys(), cache.values(), cache.pages()},
                  cache.rope(1, 1e5f), Patch::kPosition, offsetof(RopeKvWriteParams, position));
        table.add(Op::kAttention, {q, cache.keys(), cache.values(), cache.pages(), out},
                  cache.attention(0.2f, scores), Patch::kPositionAndKv, offsetof(AttentionParams, position),
                  offsetof(AttentionParams, kv_length));
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
              cache.rope_attention(0, 100.0f, 1.0f), Patch::kPositionAndKv,
              offsetof(RopeAttentionParams, position), offsetof(RopeAttentionParams, kv_length));
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
            RopeAttentionParams{0, 0, heads.query_heads, heads.kv_heads, heads.width, heads.rotary, 0, 100.0f,
                                1.0f, 2 * kKvPagePositions, 2 * plane},
            Patch::kPositionAndKv, offsetof(RopeAttentionParams, position),
            offsetof(RopeAttentionParams, kv_length));
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
