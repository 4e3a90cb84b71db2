// Rope and what it writes to the KV cache against the reference, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/attention_ops.h"
#include "device/cpu/stages/kv_pages.h"
#include "device/op_comparison.h"
#include "device/paged_cache.h"
#include "device/table_harness.h"
#include "reference/random_data.h"

namespace emberline::testing {
namespace {

// Keys and values of positions [0, context) as the device keeps them, in order.
std::vector<float> read_cache(Device& device, TableHarness& memory, const PagedCache& cache,
                              const TestHeads& heads, std::uint32_t context) {
  const std::size_t page_halves = cache.stride() / 2;
  const std::size_t pages = *std::max_element(cache.ids().begin(), cache.ids().end()) + 1;
  std::vector<float> all = memory.read_halves(cache.keys(), page_halves * pages);
  const bool transposed = std::string(device.name()) == "cpu";
  std::vector<float> rows(2 * context * heads.kv_width());
  float* next = rows.data();
  for (std::size_t plane = 0; plane < 2; ++plane) {
    for (std::size_t p = 0; p < context; ++p) {
      const float* page =
          all.data() + cache.ids()[p / kKvPagePositions] * page_halves + plane * page_halves / 2;
      const std::size_t at = p % kKvPagePositions;
      for (std::size_t head = 0; head < heads.kv_heads; ++head) {
        const float* head_page = page + head * kKvPagePositions * heads.width;
        for (std::size_t i = 0; i < heads.width; ++i) {
          if (!transposed) {
            *next++ = page[at * heads.kv_width() + head * heads.width + i];
          } else if (plane == 0) {
            *next++ = head_page[at / kKeyBlock * kKeyBlock * heads.width + i * kKeyBlock + at % kKeyBlock];
          } else {
            *next++ = head_page[at * heads.width + i];
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
                    cache.rope_attention(1, 1e4f, 0.25f), Patch::kPosition);
        } else {
          table.add(Op::kRopeKvWrite,
                    {queries, table.floats(k), table.floats(v), cache.keys(), cache.values(), cache.pages(),
                     table.floats(factors)},
                    cache.rope(1, 1e4f), Patch::kPosition);
          table.add(Op::kAttention, {queries, cache.keys(), cache.values(), cache.pages(), out},
                    cache.attention(0.25f), Patch::kPosition);
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
            cache.rope(style, 10000.0f), Patch::kPosition);
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

}  // namespace
}  // namespace emberline::testing
