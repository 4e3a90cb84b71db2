// A KV cache of eight bits an element, and attention over it, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/half.h"
#include "device/attention_ops.h"
#include "device/cpu/stages/kv_pages.h"
#include "device/paged_cache.h"
#include "device/table_harness.h"
#include "reference/random_data.h"

namespace emberline::testing {
namespace {

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
  const std::size_t plane = kv.size() / 2, d = heads.width, kv_width = heads.kv_width();
  const std::size_t entries = position + 1;
  const std::size_t first = scores.window == 0 || entries <= scores.window ? 0 : entries - scores.window;
  std::vector<double> out(heads.q_width());
  for (std::size_t head = 0; head < heads.query_heads; ++head) {
    const std::size_t kv_head = head / (heads.query_heads / heads.kv_heads);
    const float* const query = &q[head * d];
    double* const attended = &out[head * d];
    std::vector<double> weights;
    double total = 0;
    for (std::size_t j = first; j < entries; ++j) {
      const double* const key = &kv[j * kv_width + kv_head * d];
      double score = 0;
      for (std::size_t i = 0; i < d; ++i) score += query[i] * key[i];
      score *= scale;
      if (scores.cap != 0.0f) score = scores.cap * std::tanh(score / scores.cap);
      weights.push_back(std::exp(score));
      total += weights.back();
    }
    for (std::size_t j = first; j < entries; ++j) {
      const double* const value = &kv[plane + j * kv_width + kv_head * d];
      const double weight = weights[j - first] / total;
      for (std::size_t i = 0; i < d; ++i) attended[i] += weight * value[i];
    }
  }
  return out;
}

// That `held`, of read_quants, is within half a step of what was given: [context, kv_width] each.
void expect_within_half_a_step(const std::vector<double>& held, const std::vector<float>& keys,
                               const std::vector<float>& values, std::size_t head_width) {
  ASSERT_EQ(held.size(), keys.size() + values.size());
  for (std::size_t i = 0; i < held.size();) {
    const bool of_keys = i < keys.size();
    const std::size_t first = of_keys ? i : i - keys.size();
    const std::size_t count =
        std::min<std::size_t>(kKvBlockElements, head_width - first % head_width);  // of its block
    const float* given = (of_keys ? keys : values).data() + first;
    double largest = 0;
    for (std::size_t e = 0; e < count; ++e) largest = std::max(largest, std::fabs(double{given[e]}));
    for (std::size_t e = 0; e < count; ++e, ++i)
      ASSERT_LE(std::fabs(held[i] - given[e]), largest / 127 / 2 * (1 + 0x1p-9)) << "element " << i;
  }
}

// What is written is within half a step of what was given, and attention is that over what was written.
TEST_P(AttentionOps, AQuantizedCacheIsReadAsWhatItHolds) {
  for (const TestHeads& heads : {TestHeads{9, 3, 64, 0}, TestHeads{6, 2, 20, 0}, TestHeads{4, 4, 8, 0},
                                 TestHeads{4, 2, 80, 0}, TestHeads{2, 1, 128, 0}, TestHeads{4, 1, 256, 0}}) {
    SCOPED_TRACE(name(heads));
    const std::uint32_t context = 330;
    Random random(31);
    const auto k = random.normals(context * heads.kv_width()), v = random.normals(context * heads.kv_width());
    const auto device = cpu_device(GetParam(), 2);
    TableHarness fill(*device);
    const PagedCache cache(fill, heads, context, kKvQ8_0);
    fill.add(Op::kRopeKvWrite,
             {fill.zeros(context * heads.q_width() * 4), fill.floats(k), fill.floats(v), cache.keys(),
              cache.values(), cache.pages()},
             cache.rope(0, 1.0f));
    fill.run(context);
    const std::vector<double> held = read_quants(fill, cache, heads, context);
    expect_within_half_a_step(held, k, v, heads.width);
    for (const TestScores& scores : {TestScores{}, TestScores{100, 30.0f}}) {
      for (const std::uint32_t rows : {1u, 16u, 70u}) {
        SCOPED_TRACE(::testing::Message() << rows << " rows, window " << scores.window);
        const std::uint32_t position = context - rows;
        const auto q = random.normals(rows * heads.q_width());
        TableHarness table(*device);
        const float scale = 1.0f / std::sqrt(static_cast<float>(heads.width));
        const Binding out = table.zeros(rows * heads.q_width() * 4);
        table.add(Op::kAttention, {table.floats(q), cache.keys(), cache.values(), cache.pages(), out},
                  cache.attention(scale, scores), Patch::kPosition);
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

}  // namespace
}  // namespace emberline::testing
