// Faults in the product kernels: the negative controls of the products_* tests.
#include <gtest/gtest.h>

#include <cmath>

#include "launch_shapes.h"
#include "mutations_check.h"
#include "product_launch.h"
#include "qkv_case.h"

namespace emberline::testing {
namespace {

using metal_sim::Edit;
using metal_sim::expect_every_fault_caught;
using metal_sim::Library;

// No formats but one with all that blocks may have, and one with rows of any length.
std::vector<Edit> two_formats() {
  std::vector<Edit> edits;
  for (const char* format :
       {"INSTANTIATE(f16, FloatRows<Float16>)", "INSTANTIATE(bf16, FloatRows<BFloat16>)",
        "INSTANTIATE(q4_0, Q4_0)", "INSTANTIATE(q4_1, Q4_1)", "INSTANTIATE(q5_0, Q5_0)",
        "INSTANTIATE(q8_0, Int8Blocks)", "INSTANTIATE(q2_k, Q2_K)", "INSTANTIATE(q3_k, Q3_K)",
        "INSTANTIATE(q4_k, Q4_K)", "INSTANTIATE(q5_k, Q5_K)", "INSTANTIATE(q6_k, Q6_K)",
        "INSTANTIATE(iq4_nl, IQ4_NL)", "INSTANTIATE(iq4_xs, IQ4_XS)", "INSTANTIATE(mxfp4, MXFP4)"}) {
    edits.push_back({"weight_formats.h", format, ""});
  }
  return edits;
}

// And code for one row and for up to four alone.
std::vector<Edit> two_formats_and_capacities() {
  std::vector<Edit> edits = two_formats();
  edits.push_back(
      {"norm_qkv_rope.metal", "EMBERLINE_FOR_EACH_FORMAT_OF_VALUES(EMBERLINE_NORM_QKV_ROPE_OF)", ""});
  for (const char* capacity :
       {"case 2: return pair_products_of<Format, kNorm, 2>(input, weights, memory, t);",
        "case 8: return pair_products_of<Format, kNorm, 8>(input, weights, memory, t);"}) {
    edits.push_back({"mat_vec.h", capacity, ""});
  }
  edits.push_back({"mat_vec.h", "kNorm, kMatVecMaxRows>(", "kNorm, 4>("});
  return edits;
}

// Two tiles of three rows, whose last stands on the next page; and a row alone.
bool norm_qkv_rope_is_right(const Library& library) {
  Random random(1);
  QkvCase test(TensorType::kQ5_1, {544, 3, 1, 64, 64, 1, true}, 3, random);
  for (float& x : test.x) x *= 1e-3f;  // epsilon matters
  const std::uint32_t position = 254;
  for (const metal_sim::Order& order : {metal_sim::Order::descending(), metal_sim::Order::seeded(1)}) {
    for (const std::uint32_t rows : {3u, 1u}) {
      const QkvCase::Result result = test.run("norm_qkv_rope_q5_1", position, 0, rows, order, library);
      if (!test.error_of(result, position).empty()) return false;
    }
  }
  return true;
}

TEST(DeepProductMutations, OfNormQkvRopeAreCaught) {
  expect_every_fault_caught(
      {"norm_qkv_rope",
       norm_qkv_rope_is_right,
       two_formats_and_capacities(),
       {{"a tile that is overwritten while it is read",
         {"mat_vec.h", "if (begin > 0) threadgroup_barrier(mem_flags::mem_threadgroup);", ""}},
        {"a tile that is read while it is written",
         {"mat_vec.h", "squares, t);\n    threadgroup_barrier(mem_flags::mem_threadgroup);", "squares, t);"}},
        {"sums of squares that are read before they are written",
         {"mat_vec.h", "= partial;\n    }\n    threadgroup_barrier(mem_flags::mem_threadgroup);",
          "= partial;\n    }"}},
        {"block headers that are not exchanged",
         {"block_headers.h", "simd_shuffle_xor(mine.x, 1)", "mine.x"}},
        {"weights of the round that is fetched ahead",
         {"mat_vec.h", "Format::decode(fetched.a, ", "Format::decode(ahead.a, "}},
        {"a row that reads its neighbour's activations",
         {"mat_vec.h", "load_columns<Format>(tile + r * stride, unit", "load_columns<Format>(tile, unit"}},
        {"an offset that is not added",
         {"mat_vec.h", "if (Format::kOffset) sum = fma", "if (false) sum = fma"}},
        {"half of the lanes left out of a sum",
         {"reductions.h", "ushort step = width / 2; step > 0", "ushort step = width / 2; step > 1"}},
        {"a norm without epsilon", {"mat_vec.h", " + input.epsilon", ""}},
        {"a norm over the width of a tile",
         {"mat_vec.h", "squares / float(input.in)", "squares / float(512)"}},
        {"fifth bits of the wrong half",
         {"block_formats.h", "block[kFifthBitsAt + second]", "block[kFifthBitsAt]"}},
        {"a minimum that is taken for a scale",
         {"block_formats.h", "half_bits(header.x >> 16)", "half_bits(header.x)"}},
        {"rotated pairs that are off by one", {"rope.h", "pair + rotations :", "pair + rotations - 1 :"}},
        {"a rotation backwards",
         {"rope.h", "fma(pair.x, cosine, -(pair.y * sine))", "fma(pair.x, cosine, pair.y * sine)"}},
        {"a batch that stands still", {"norm_qkv_rope.metal", "p.position + row", "p.position"}},
        {"values that are rotated",
         {"norm_qkv_rope.metal", "section == 2 ? 0 : p.rotary_width", "p.rotary_width"}},
        {"values that are biased like keys",
         {"norm_qkv_rope.metal", "to.biases[1] : to.biases[2]", "to.biases[1] : to.biases[1]"}},
        {"a wrong stride of positions in the cache",
         {"rope.h", "(position % kKvPagePositions) * kv_width",
          "(position % kKvPagePositions) * (kv_width - 1)"}},
        {"a page table that is not read",
         {"rope.h", "pages[position / kKvPagePositions]", "position / kKvPagePositions"}}}});
}

bool mat_mat_is_right(const Library& library) {
  for (const TensorType type : {TensorType::kF32, TensorType::kQ5_1}) {
    Random random(2);
    const std::uint32_t rows = 34, in = type == TensorType::kF32 ? 71 : 96, out = 66;
    TestMatrix matrix(type, out, in, random);
    const std::vector<float> x = random.normals(std::size_t{rows} * in);
    KernelBuffer<float> x_buffer(x), y(std::size_t{rows} * out, 99.0f);
    for (const metal_sim::Order& order : metal_sim::all_orders()) {
      KernelRun run("mat_mat_" + kernel_suffix(type), library);
      run.params(MatMulParams{
          .in = in, .out = out, .weight_type = type_id(type), .accumulate = 0, .last_row_only = 0});
      run.bind(0, x_buffer).bind(1, matrix.bytes).bind(3, y).mat_mat_grid(rows, out);
      if (!run.fault(order).empty()) return false;
      for (std::uint32_t r = 0; r < rows; ++r) {
        const std::vector<double> row = widened(std::span(x).subspan(std::size_t{r} * in, in));
        for (std::uint32_t o = 0; o < out; ++o) {
          const double off = std::abs(y.values()[r * out + o] - matrix.product(o, row));
          if (!(off <= matrix.tolerance(o, row, in + 4))) return false;
        }
      }
    }
  }
  return true;
}

// Rows of two tiles, whose stream has something to be added to it first.
bool norm_gate_up_is_right(const Library& library) {
  Random random(4);
  const std::uint32_t in = 2112, out = 20, rows = 3;
  TestMatrix gate(TensorType::kF32, out, in, random), up(TensorType::kF32, out, in, random);
  const std::vector<float> x = random.normals(rows * in), added = random.normals(rows * in, 1e-3f),
                           gain = random.normals(in), added_gain = random.normals(in);
  KernelBuffer<float> x_buffer(x), added_buffer(added), gains(gain), added_gains(added_gain),
      sum(rows * in, -1.0f), y(rows * out);
  for (const metal_sim::Order& order : metal_sim::all_orders()) {
    KernelRun run("norm_gate_up_f32", library);
    run.params(NormGateUpParams{.width = in, .epsilon = 1e-5f, .hidden = out, .gate_type = 0, .up_type = 0});
    run.bind(0, x_buffer).bind(1, gains).bind(2, gate.bytes).bind(3, up.bytes).bind(4, y).has_added(true);
    run.bind(5, added_buffer).bind(6, added_gains).bind(7, sum);
    if (!run.mat_vec_grid(gate_up_pairs(out), in, rows).fault(order).empty()) return false;
    for (std::uint32_t r = 0; r < rows; ++r) {
      const std::vector<double> addition =
          normalised(std::span(added).subspan(std::size_t{r} * in, in), added_gain, 1e-5f);
      std::vector<float> stream(x.begin() + r * in, x.begin() + (r + 1) * in);
      for (std::uint32_t i = 0; i < in; ++i) stream[i] = static_cast<float>(stream[i] + addition[i]);
      for (std::uint32_t i = 0; i < in; ++i) {
        if (!(std::abs(sum.values()[r * in + i] - stream[i]) <= (std::abs(stream[i]) + 5) * 0x1p-20))
          return false;
      }
      const std::vector<double> normed = normalised(stream, gain, 1e-5f);
      for (std::uint32_t o = 0; o < out; ++o) {
        const double g = gate.product(o, normed), u = up.product(o, normed);
        const double expected = g / (1 + std::exp(-g)) * u;
        if (!(std::abs(y.values()[r * out + o] - expected) <= (std::abs(g) + std::abs(u) + 1) * 1e-3))
          return false;
      }
    }
  }
  return true;
}

TEST(DeepProductMutations, OfAdditionsInFrontOfANormAreCaught) {
  std::vector<Edit> narrowed = two_formats();
  for (const char* capacity :
       {"case 2: return pair_products_of<Format, kNorm, 2>(input, weights, memory, t);",
        "case 8: return pair_products_of<Format, kNorm, 8>(input, weights, memory, t);"}) {
    narrowed.push_back({"mat_vec.h", capacity, ""});
  }
  narrowed.push_back({"mat_vec.h", "kNorm, kMatVecMaxRows>(", "kNorm, 4>("});
  expect_every_fault_caught(
      {"norm_gate_up",
       norm_gate_up_is_right,
       narrowed,
       {{"an addition that is not normed",
         {"mat_vec.h", "input.added[at] * scales[r * kMatVecMaxSimdgroups]", "input.added[at]"}},
        {"a row that is normed by its neighbour",
         {"mat_vec.h", "scales[r * kMatVecMaxSimdgroups];", "scales[0];"}},
        {"an addition without its gain",
         {"mat_vec.h", "fma(normed, input.added_gain[begin + column], value)", "normed + value"}},
        {"a sum that nobody writes", {"mat_vec.h", "if (t.first) input.sum[at] = value;", ""}},
        {"squares that are read before they are written",
         {"mat_vec.h",
          "= partial;\n  }\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n  if (t.index < input.rows)",
          "= partial;\n  }\n  if (t.index < input.rows)"}},
        {"scales that are read before they are written",
         {"mat_vec.h", "inverse_rms(sum, input);\n  }\n  threadgroup_barrier(mem_flags::mem_threadgroup);",
          "inverse_rms(sum, input);\n  }"}},
        {"squares of a tile alone",
         {"mat_vec.h", "column < input.in; column += t.threads", "column < 512; column += t.threads"}}}});
}

TEST(DeepProductMutations, OfMatMatAreCaught) {
  expect_every_fault_caught(
      {"mat_mat",
       mat_mat_is_right,
       two_formats(),
       {{"tiles that are read while they are written",
         {"mat_mat.h", "weight_tile, thread_index);\n    threadgroup_barrier(mem_flags::mem_threadgroup);",
          "weight_tile, thread_index);"}},
        {"tiles that are overwritten while they are read",
         {"mat_mat.h", "    }\n    threadgroup_barrier(mem_flags::mem_threadgroup);\n  }", "    }\n  }"}},
        {"products that are read before they are written",
         {"mat_mat.h", "  }\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n  for (uint i",
          "  }\n  for (uint i"}},
        {"activations read past their end", {"mat_mat.h", "begin + column + 4 <= in", "begin + column < in"}},
        {"outputs written past their end", {"mat_mat.h", "row >= rows || o >= p.out", "row >= rows"}},
        {"rows written past their end", {"mat_mat.h", "row >= rows || o >= p.out", "o >= p.out"}},
        {"weight blocks that are not transposed",
         {"mat_mat.h", "(column % 8 + e) * 8 + o % 8", "o % 8 * 8 + column % 8 + e"}},
        {"a simdgroup's rows twice", {"mat_mat.h", "simdgroup / 2 * 2", "0"}}}});
}

bool embedding_is_right(const Library& library) {
  Random random(3);
  TestMatrix table(TensorType::kQ5_1, 5, 64, random);
  KernelBuffer<std::uint32_t> tokens(std::vector<std::uint32_t>{0, 1, 2, 3, 4});
  KernelBuffer<std::uint32_t> state(kChainStateWords);
  auto* chain = reinterpret_cast<ChainState*>(state.values().data());
  for (const std::uint32_t cancel : {0u, 1u, 0u}) {
    KernelBuffer<float> out(64, 9.0f);
    KernelRun run("embedding_q5_1", library);
    run.params(EmbeddingParams{.width = 64, .vocabulary = 5, .weight_type = 0, .position = 3});
    run.bind(0, tokens).bind(1, table.bytes).bind(2, out).chained(state).grid({1, 1, 1}, kRowKernelThreads);
    chain->cancel = cancel;
    if (!run.fault(metal_sim::Order::descending()).empty()) return false;
    const bool begun = cancel == 0 && chain->halted == 0;  // the last time, the chain has ended
    if (!begun && (chain->halted != 2 || chain->end != 3)) return false;
    for (std::uint32_t i = 0; i < 64; ++i) {
      if (std::abs(out.values()[i] - (begun ? table.values[3][i] : 9.0)) > 1e-5) return false;
    }
  }
  return true;
}

TEST(ProductMutations, OfEmbeddingAreCaught) {
  expect_every_fault_caught(
      {"embedding",
       embedding_is_right,
       two_formats(),
       {{"a token of another position", {"embedding.metal", "tokens[p.position + row]", "tokens[row]"}},
        {"a cancel flag that is not looked at",
         {"embedding.metal", "begins && cancel_requested(chain)", "false"}},
        {"a stop that the next step forgets",
         {"embedding.metal", "begins = chain->halted == 0", "begins = true"}},
        {"a decision that is not waited for",
         {"embedding.metal", "threadgroup_barrier(mem_flags::mem_threadgroup);\n  return begins;",
          "return begins;"}},
        {"a cancelled step that is counted",
         {"chain_guard.h", "chain->end = end;", "chain->end = end + 1;"}}}});
}

}  // namespace
}  // namespace emberline::testing
