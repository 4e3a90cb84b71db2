// Ops through the device, from buffers and commands to results: against the reference device, in batches of
// every class. The kernels' own tests go through their shapes.
#include <cmath>
#include <cstddef>
#include <functional>

#include "device/op_comparison.h"
#include "device/paged_cache.h"
#include "device/table_harness.h"
#include "gpu_fixture.h"
#include "reference/random_data.h"

namespace emberline::testing {
namespace {

constexpr std::uint32_t kRows[] = {1, 2, 3, 7, 16, 17, 33};
constexpr double kEpsilon = 1.2e-7;  // of float32

// Runs on the Metal device with dispatches between barriers in a random order.
class MetalOps : public GpuTest {
 protected:
  MetalOps() {
    shuffle_dispatches();
    device_ = metal_device();
  }
  void compare(double tolerance, const std::function<std::vector<float>(Device&)>& build_and_run) {
    expect_near(build_and_run(*device_), build_and_run(*make_reference_device()), tolerance);
  }

  std::unique_ptr<Device> device_;
};

TEST_F(MetalOps, ProductsOfEveryTypeAndBatch) {
  const std::uint32_t out = 37;
  for (TensorType type : kWeightTypes) {
    const std::uint32_t in = whole_blocks(type, 96u);
    for (std::uint32_t rows : kRows) {
      SCOPED_TRACE(type_name(type) + ", " + std::to_string(rows) + " rows");
      Random random(31);
      const auto weights = random_weights(type, out, in, random);
      const auto x = random.normals(rows * in), bias = random.normals(out),
                 before = random.normals(rows * out);
      for (std::uint32_t accumulate : {0u, 1u}) {
        for (std::uint32_t last_row_only : {0u, 1u}) {
          // `in` products of elements of about unit size, of sums of their square root's size.
          compare(kEpsilon * in * 8, [&](Device& device) {
            TableHarness table(device);
            const Binding y = table.floats(before);
            table.add(Op::kMatMul,
                      {table.floats(x), table.matrix(type, out, in, weights),
                       accumulate != 0 ? kAbsent : table.floats(bias), y},
                      MatMulParams{in, out, static_cast<std::uint32_t>(type), accumulate, last_row_only});
            table.run(rows);
            return table.read_floats(y, rows * out);
          });
        }
      }
    }
  }
}

TEST_F(MetalOps, EmbeddingReadsTokensByPosition) {
  const std::uint32_t vocabulary = 37, position = 3;
  for (TensorType type : kWeightTypes) {
    const std::uint32_t width = whole_blocks(type, 96u);
    SCOPED_TRACE(type_name(type));
    Random random(32);
    const auto weights = random_weights(type, vocabulary, width, random);
    for (const float scale : {1.0f, 12.0f}) {
      compare(1e-6 * scale, [&](Device& device) {
        TableHarness table(device);
        const Binding out = table.zeros(5 * width * 4);
        table.add(
            Op::kEmbedding,
            {table.words({1, 2, 3, 0, 36, 7, 7, 20}), table.matrix(type, vocabulary, width, weights), out},
            EmbeddingParams{width, vocabulary, static_cast<std::uint32_t>(type), 0, scale},
            Patch::kTokenOffset);
        table.run(5, position);
        return table.read_floats(out, 5 * width);
      });
    }
  }
}

TEST_F(MetalOps, RowsOneByOne) {
  for (std::uint32_t width : {1u, 9u, 576u}) {
    Random random(33);
    const auto x = random.normals(20 * width, 5.0f), gain = random.normals(width);
    compare(kEpsilon * (4 + std::sqrt(width)) * 4 * 3, [&](Device& device) {
      TableHarness table(device);
      const Binding out = table.zeros(20 * width * 4);
      table.add(Op::kRmsNorm, {table.floats(x), table.floats(gain), out}, RmsNormParams{width, 1e-5f});
      table.run(20);
      return table.read_floats(out, 20 * width);
    });
    compare(kEpsilon * (4 + std::sqrt(width)) * 4 * 3, [&](Device& device) {
      TableHarness table(device);
      const Binding out = table.floats(x);
      table.add(Op::kRmsNorm, {table.floats(x), table.floats(gain), out},
                RmsNormParams{.width = width, .epsilon = 1e-5f, .accumulate = 1});
      table.run(20);
      return table.read_floats(out, 20 * width);
    });
    compare(kEpsilon * 25 * 25 * 4, [&](Device& device) {
      TableHarness table(device);
      const Binding out = table.zeros(20 * width * 4);
      table.add(Op::kGatedUnit, {table.floats(x), table.floats(x), out}, GatedUnitParams{width});
      table.run(20);
      return table.read_floats(out, 20 * width);
    });
  }
}

TEST_F(MetalOps, AttentionOverPages) {
  for (const TestHeads& heads : {TestHeads{6, 2, 64, 64}, TestHeads{4, 4, 80, 40}, TestHeads{3, 1, 128, 128},
                                 TestHeads{4, 2, 16, 16}}) {
    for (std::uint32_t rows : {1u, 5u, 20u}) {
      SCOPED_TRACE(std::to_string(heads.width) + " wide, " + std::to_string(rows) + " rows");
      // So that the batch lies in two pages.
      const std::uint32_t position = kKvPagePositions - rows / 2 - 1, context = position + rows;
      Random random(34);
      const auto q = random.normals(context * heads.q_width()),
                 k = random.normals(context * heads.kv_width()),
                 v = random.normals(context * heads.kv_width());
      // Values of 4 at most, as halves; a rotated key that is rounded differently changes its weight by as
      // much.
      compare(4 * 0x1p-10, [&](Device& device) {
        TableHarness table(device), fill(device);
        const PagedCache cache(fill, heads, context);
        fill.add(
            Op::kRopeKvWrite,
            {fill.floats(q), fill.floats(k), fill.floats(v), cache.keys(), cache.values(), cache.pages()},
            cache.rope(1, 10000.0f), Patch::kPosition);
        fill.run(context);
        const Binding out = table.zeros(rows * heads.q_width() * 4);
        table.add(Op::kAttention, {table.floats(q), cache.keys(), cache.values(), cache.pages(), out},
                  cache.attention(1.0f / std::sqrt(static_cast<float>(heads.width))), Patch::kPosition);
        table.run(rows, position);
        return table.read_floats(out, rows * heads.q_width());
      });
    }
  }
}

// Norms of queries and keys in one command with the rotation, and as parts on the reference.
TEST_F(MetalOps, NormsOfQueriesAndKeysAreThoseOfTheirParts) {
  const TestHeads heads{4, 2, 64, 48};
  const std::uint32_t rows = 19, position = 100, context = position + rows;
  for (const std::uint32_t together : {1u, 2u}) {  // heads
    const std::uint32_t query_part = together * heads.width, key_part = query_part;
    Random random(37);
    const auto q = random.normals(rows * heads.q_width(), 3.0f), k = random.normals(rows * heads.kv_width()),
               v = random.normals(rows * heads.kv_width());
    const auto query_gain = random.normals(query_part), key_gain = random.normals(key_part);
    // As the rotation alone; normed elements times gains are of up to 12.
    compare(context * 1e-6 * 25 + 0x1p-8, [&](Device& device) {
      TableHarness table(device);
      const PagedCache cache(table, heads, context);
      const Binding queries = table.floats(q), keys = table.floats(k), values = table.floats(v);
      const Binding gain_q = table.floats(query_gain), gain_k = table.floats(key_gain);
      const RopeKvWriteParams rope = cache.rope(1, 10000.0f);
      if (device.offers(Op::kQkNormRope, rows)) {
        table.add(
            Op::kQkNormRope,
            {queries, keys, values, cache.keys(), cache.values(), cache.pages(), kAbsent, gain_q, gain_k},
            QkNormRopeParams{0, heads.query_heads, heads.kv_heads, heads.width, heads.rotary, 1, 10000.0f,
                             context, rope.page_stride, 1e-5f, query_part, key_part},
            Patch::kPosition);
      } else {
        table.add(Op::kRmsNorm, {queries, gain_q, queries},
                  RmsNormParams{query_part, 1e-5f, heads.query_heads / together});
        table.add(Op::kRmsNorm, {keys, gain_k, keys},
                  RmsNormParams{key_part, 1e-5f, heads.kv_heads / together});
        table.add(Op::kRopeKvWrite, {queries, keys, values, cache.keys(), cache.values(), cache.pages()},
                  rope, Patch::kPosition);
      }
      table.run(rows, position);
      return table.read_floats(queries, rows * heads.q_width());
    });
  }
}

// In batches of every class, and of types that have no kernel together: the fused commands and their parts.
TEST_F(MetalOps, AdditionsInFrontOfANormAreThoseOfTheirParts) {
  constexpr std::uint32_t kWidth = 96, kQ = 40, kKv = 24, kHidden = 37;
  for (const TensorType other : {TensorType::kQ8_0, TensorType::kF32}) {
    for (const std::uint32_t rows : kRows) {
      SCOPED_TRACE(std::to_string(rows) + " rows");
      Random random(38);
      const TensorType types[] = {TensorType::kQ8_0, TensorType::kQ8_0, other, TensorType::kQ8_0, other};
      const std::uint32_t outs[] = {kQ, kKv, kKv, kHidden, kHidden};
      std::vector<std::vector<std::uint8_t>> weights;
      for (std::size_t i = 0; i < 5; ++i)
        weights.push_back(random_weights(types[i], outs[i], kWidth, random));
      const auto x = random.normals(rows * kWidth), added = random.normals(rows * kWidth),
                 second = random.normals(rows * kWidth), gain = random.normals(kWidth),
                 gain_behind = random.normals(kWidth);
      compare(kEpsilon * kWidth * 128, [&](Device& device) {
        TableHarness table(device);
        std::vector<Binding> matrices;
        for (std::size_t i = 0; i < 5; ++i)
          matrices.push_back(table.matrix(types[i], outs[i], kWidth, weights[i]));
        const auto id = [&](std::size_t i) { return static_cast<std::uint32_t>(types[i]); };
        const Binding stream = table.floats(x), sum = table.zeros(rows * kWidth * 4),
                      back = table.zeros(rows * kWidth * 4);
        const Binding gains = table.floats(gain), gains_behind = table.floats(gain_behind),
                      first_added = table.floats(added), second_added = table.floats(second);
        std::vector<Binding> out;
        for (const std::uint32_t width : outs) out.push_back(table.zeros(rows * width * 4));
        const NormQkvParams qkv{kWidth, 1e-5f, kQ, kKv, id(0), id(1), id(2)};
        const NormGateUpParams gate_up{kWidth, 1e-5f, kHidden, id(3), id(4)};
        if (device.offers(Op::kAddNormQkv, rows)) {
          table.add(Op::kAddNormQkv,
                    {stream, gains, matrices[0], matrices[1], matrices[2], kAbsent, kAbsent, kAbsent, out[0],
                     out[1], out[2], first_added, gains_behind, sum},
                    AddNormQkvParams{qkv});
          table.add(Op::kAddNormGateUp,
                    {sum, gains, matrices[3], matrices[4], out[3], second_added, gains_behind, back},
                    AddNormGateUpParams{gate_up});
        } else {
          const Binding normed = table.zeros(rows * kWidth * 4);
          const auto product = [&](std::size_t i) {
            table.add(Op::kMatMul, {normed, matrices[i], kAbsent, out[i]},
                      MatMulParams{kWidth, outs[i], id(i), 0, 0});
          };
          const auto add = [&](Binding from, Binding addition, Binding to) {
            table.add(Op::kRmsNorm, {addition, gains_behind, to, kAbsent, from},
                      RmsNormParams{.width = kWidth, .epsilon = 1e-5f, .accumulate = 1});
            table.add(Op::kRmsNorm, {to, gains, normed}, RmsNormParams{kWidth, 1e-5f});
          };
          add(stream, first_added, sum);
          for (std::size_t i = 0; i < 3; ++i) product(i);
          add(sum, second_added, back);
          for (std::size_t i = 3; i < 5; ++i) product(i);
          table.add(Op::kGatedUnit, {out[3], out[4], out[3]}, GatedUnitParams{kHidden});
        }
        table.run(rows);
        std::vector<float> all = table.read_floats(back, rows * kWidth);
        for (std::size_t i = 0; i < 4; ++i) {
          const auto part = table.read_floats(out[i], rows * outs[i]);
          all.insert(all.end(), part.begin(), part.end());
        }
        return all;
      });
    }
  }
}

// Queries and keys; and what is behind the rotary width.
TEST_F(MetalOps, PositionsAreScaledByTheirFactors) {
  const TestHeads heads{4, 2, 64, 48};
  const std::uint32_t rows = 19, position = 100, context = position + rows;
  Random random(36);
  const auto q = random.normals(rows * heads.q_width()), k = random.normals(rows * heads.kv_width()),
             v = random.normals(rows * heads.kv_width());
  std::vector<float> factors(heads.rotary / 2);
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = 1.0f + static_cast<float>(i) / 3.0f;
  // Angles are off by a millionth of a position, of elements up to 5 and 2 at a time.
  compare(context * 1e-6 * 10 + 0x1p-9, [&](Device& device) {
    TableHarness table(device);
    const PagedCache cache(table, heads, context);
    const Binding queries = table.floats(q);
    table.add(Op::kRopeKvWrite,
              {queries, table.floats(k), table.floats(v), cache.keys(), cache.values(), cache.pages(),
               table.floats(factors)},
              cache.rope(1, 10000.0f), Patch::kPosition);
    table.run(rows, position);
    return table.read_floats(queries, rows * heads.q_width());
  });
}

TEST_F(MetalOps, ArgmaxTakesTheLowestIdOfATie) {
  for (std::uint32_t vocabulary : {1u, 5u, 2049u}) {
    Random random(35);
    auto logits = random.normals(3 * vocabulary, 3.0f);
    logits[vocabulary - 1] = logits[vocabulary / 2] = logits[vocabulary / 3] = 50.0f;
    std::fill_n(logits.begin() + vocabulary, vocabulary, -2.5f);
    compare(1e-6 * (1 + std::log(static_cast<double>(vocabulary))), [&](Device& device) {
      TableHarness table(device);
      const Binding tokens = table.zeros(4 * 5), log_probs = table.zeros(4 * 5);
      table.add(Op::kArgmax, {table.floats(logits), tokens, log_probs}, ArgmaxParams{vocabulary, 0, 1});
      table.run(3);
      auto result = table.read_floats(log_probs, 5);
      for (std::uint32_t token : table.read_words(tokens, 5)) result.push_back(static_cast<float>(token));
      return result;
    });
  }
}

TEST_F(MetalOps, RejectsLogitsThatAreNotFinite) {
  for (float poison : {NAN, INFINITY, -INFINITY}) {
    TableHarness table(*device_);
    std::vector<float> logits(5000, 1.0f);
    logits[2500] = poison;
    table.add(Op::kArgmax, {table.floats(logits), table.zeros(8), table.zeros(8)}, ArgmaxParams{5000, 0});
    ASSERT_TRUE(table.prepare(1).ok());
    EXPECT_EQ(table.replay(Replay{}).code(), ErrorCode::kLogitsNotFinite);
  }
}

}  // namespace
}  // namespace emberline::testing
