// A compiler may fuse a multiplication with an addition behind it, and decide so anew for each instance of a
// kernel. Where bits have to be equal, nothing must be left for it to fuse: the kernels compiled with every
// contraction that clang finds give the bits of those compiled with none.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "attention_run.h"
#include "launch_shapes.h"
#include "product_launch.h"
#include "qkv_case.h"
#include "sampler_run.h"

namespace emberline::testing {
namespace {

using metal_sim::Library;

Result<Library> compile_kernels(const std::string& source, bool contracted) {
  const std::string root = EMBERLINE_SOURCE_DIR;
  metal_sim::CompileOptions options;
  options.checked = false;
  options.contracted = contracted;
  options.include_folders = {root + "/metal", root + "/native/device", root + "/native/sampling"};
  return metal_sim::compile(source, options);
}

const Library& contracted_kernels() {
  static const Library library = [] {
    std::string source;
    for (const char* kernel : {"attention_decode", "embedding", "gumbel", "mat_mat", "mat_vec",
                               "norm_gate_up", "norm_qkv", "norm_qkv_rope", "qk_norm_rope", "rms_norm"}) {
      source += "#include \"" + std::string(kernel) + ".metal\"\n";
    }
    Result<Library> compiled = compile_kernels(source, true);
    if (!compiled.ok()) {
      ADD_FAILURE() << compiled.error().message();
      std::abort();
    }
    return std::move(compiled).value();
  }();
  return library;
}

const Library& kernels(bool contracted) {
  return contracted ? contracted_kernels() : metal_sim::shipped_kernels(false);
}

// The negative control: the compiler does contract what it may.
TEST(Contraction, IsWhatTheCompilerDoesWhereItMay) {
  const std::string source = R"(
    #include <metal_stdlib>
    using namespace metal;
    kernel void residue(device float* x [[buffer(0)]]) { x[2] = x[0] * x[0] - x[1]; }
  )";
  const float third = 1.0f / 3.0f;
  for (const bool contracted : {false, true}) {
    Result<Library> library = compile_kernels(source, contracted);
    ASSERT_TRUE(library.ok()) << library.error().message();
    std::vector<float> x = {third, third * third, 9.0f};
    metal_sim::KernelLaunch(library.value(), "residue", {}).buffer(0, x).grid({1, 1, 1}, 1).run();
    EXPECT_EQ(x[2] != 0.0f, contracted);
  }
}

class DeepContractionOfWeights : public ::testing::TestWithParam<TensorType> {
 protected:
  TensorType type() const { return GetParam(); }
  std::string kernel(const std::string& stem) const { return stem + "_" + kernel_suffix(type()); }
};

INSTANTIATE_TEST_SUITE_P(Types, DeepContractionOfWeights, ::testing::ValuesIn(kWeightTypes),
                         [](const auto& info) { return type_name(info.param); });

TEST_P(DeepContractionOfWeights, ChangesNoProduct) {
  Random random(1);
  const std::uint32_t in = whole_blocks(type(), 544u);
  TestMatrix matrix(type(), 35, in, random);
  for (const std::uint32_t rows : {1u, 2u, 3u, 7u, 16u, 20u}) {
    KernelBuffer<float> x(random.normals(std::size_t{rows} * in)), bias(random.normals(35));
    const std::vector<float> before = random.normals(std::size_t{rows} * 35);
    const auto product = [&](bool contracted) {
      KernelBuffer<float> y(before);
      KernelRun run(kernel(rows > kMatVecMaxRows ? "mat_mat" : "mat_vec"), kernels(contracted));
      run.params(MatMulParams{
          .in = in, .out = 35, .weight_type = type_id(type()), .accumulate = 1, .last_row_only = 0});
      run.bind(0, x).bind(1, matrix.bytes).bind(2, bias).bind(3, y).has_bias(true);
      if (rows > kMatVecMaxRows) {
        run.mat_mat_grid(rows, 35);
      } else {
        run.mat_vec_grid(mat_vec_pairs(35), in, rows);
      }
      run.run();
      return y.copy();
    };
    EXPECT_EQ(product(true), product(false)) << rows << " rows";
  }
}

TEST_P(DeepContractionOfWeights, ChangesNoProductBehindANorm) {
  Random random(2);
  const std::uint32_t in = whole_blocks(type(), 544u);
  QkvCase test(type(), {in, 3, 1, 64, 64, 1, true}, kMatVecMaxRows, random);
  TestMatrix gate(type(), 37, in, random), up(type(), 37, in, random);
  KernelBuffer<float> x(test.x), gain(test.gain);
  for (const std::uint32_t rows : {1u, 2u, 3u, 7u, 16u}) {
    const auto queries = [&](bool contracted) {
      QkvCase::Result result = test.run(kernel("norm_qkv_rope"), 250, 0, rows, {}, kernels(contracted));
      EXPECT_EQ(result.fault, "");
      return result;
    };
    EXPECT_TRUE(queries(true) == queries(false)) << rows << " rows";
    // Behind an addition, too.
    KernelBuffer<float> added(random.normals(test.x.size())), added_gain(random.normals(in));
    const auto split = [&](bool contracted) {
      KernelBuffer<float> sum(test.x.size()), q(std::size_t{rows} * test.query.rows),
          k(std::size_t{rows} * test.key.rows), v(std::size_t{rows} * test.key.rows);
      KernelBuffer<float> query_bias(test.query_bias), key_bias(test.key_bias), value_bias(test.value_bias);
      KernelRun run(kernel("norm_qkv"), kernels(contracted));
      run.params(NormQkvParams{.width = in,
                               .epsilon = 1e-5f,
                               .q_out = test.query.rows,
                               .kv_out = test.key.rows,
                               .q_type = type_id(type()),
                               .k_type = type_id(type()),
                               .v_type = type_id(type())});
      run.bind(0, x)
          .bind(1, gain)
          .bind(2, test.query.bytes)
          .bind(3, test.key.bytes)
          .bind(4, test.value.bytes);
      run.bind(5, query_bias).bind(6, key_bias).bind(7, value_bias).bind(8, q).bind(9, k).bind(10, v);
      run.bind(11, added).bind(12, added_gain).bind(13, sum).has_bias(true).has_added(true);
      run.mat_vec_grid(qkv_pairs(test.query.rows, test.key.rows), in, rows).run();
      return std::array{q.copy(), k.copy(), v.copy(), sum.copy()};
    };
    EXPECT_EQ(split(true), split(false)) << rows << " rows";
    const auto gated = [&](bool contracted, std::uint32_t activation) {
      KernelBuffer<float> out(std::size_t{rows} * 37);
      KernelRun run(kernel("norm_gate_up"), kernels(contracted));
      run.params(NormGateUpParams{.width = in,
                                  .epsilon = 1e-5f,
                                  .hidden = 37,
                                  .gate_type = type_id(type()),
                                  .up_type = type_id(type()),
                                  .activation = activation});
      run.activation(activation).bind(0, x).bind(1, gain).bind(2, gate.bytes).bind(3, up.bytes).bind(4, out);
      run.mat_vec_grid(gate_up_pairs(37), in, rows).run();
      return out.copy();
    };
    for (const std::uint32_t activation : {kGateSilu, kGateGeluTanh})
      EXPECT_EQ(gated(true, activation), gated(false, activation)) << rows << " rows";
  }
}

TEST_P(DeepContractionOfWeights, ChangesNoEmbedding) {
  Random random(3);
  const std::uint32_t in = whole_blocks(type(), 544u);
  TestMatrix table(type(), 7, in, random);
  KernelBuffer<std::uint32_t> tokens(std::vector<std::uint32_t>{6, 0, 3});
  const auto embedded = [&](bool contracted) {
    KernelBuffer<float> out(3 * in);
    KernelRun run(kernel("embedding"), kernels(contracted));
    run.params(EmbeddingParams{.width = in, .vocabulary = 7, .weight_type = type_id(type()), .position = 0});
    run.bind(0, tokens).bind(1, table.bytes).bind(2, out).rows(3).grid({3, 1, 1}, kRowKernelThreads).run();
    return out.copy();
  };
  EXPECT_EQ(embedded(true), embedded(false));
}

// Compiled by itself, which takes little: what npm test looks at.
TEST(Contraction, ChangesNoNorm) {
  const auto compiled = [](bool contracted) {
    return compile_kernels("#include \"rms_norm.metal\"\n", contracted);
  };
  const Result<Library> fused = compiled(true), apart = compiled(false);
  ASSERT_TRUE(fused.ok() && apart.ok());
  Random random(4);
  KernelBuffer<float> x(random.normals(3 * 1000)), gain(random.normals(1000));
  const auto normed = [&](bool contracted) {
    KernelBuffer<float> out(3 * 1000);
    KernelRun run("rms_norm", contracted ? fused.value() : apart.value());
    run.params(RmsNormParams{.width = 1000, .epsilon = 1e-5f}).bind(0, x).bind(1, gain).bind(2, out);
    run.rows(3).grid({3, 1, 1}, kRowKernelThreads).run();
    return out.copy();
  };
  EXPECT_EQ(normed(true), normed(false));
}

TEST(DeepContraction, ChangesNoAttentionOfAFewRows) {
  for (const std::uint32_t heads : {1u, 3u, 8u}) {
    for (const std::uint32_t width : {64u, 128u, 256u}) {
      const bool capped = heads == 3;
      metal_sim::AttentionCase test({width, heads, 2, 300, 2, capped ? 50u : 0, capped ? 3.0f : 0}, heads);
      const auto attended = [&](bool contracted) {
        metal_sim::AttentionRun run;
        run.library = &kernels(contracted);
        run.decode(test);
        EXPECT_EQ(run.fault, "");
        return run.out;
      };
      EXPECT_EQ(attended(true), attended(false)) << heads << " heads of " << width;
    }
  }
}

// The law's survivors, noise and scores.
TEST(DeepContraction, ChangesNoScore) {
  Random random(5);
  metal_sim::SamplerRun run(
      random.normals(3001, 2.0f),
      {.temperature = 0.8f, .top_k = 400, .top_p = 0.9f, .repeat_penalty = 1.3f, .seed = 7});
  run.tokens = {2, 9, 2, 9, 2999, 9};
  run.position = 5;
  const auto scored = [&](bool contracted) {
    run.library = &kernels(contracted);
    run.run();
    EXPECT_EQ(run.fault, "");
    return run.scores;
  };
  EXPECT_EQ(scored(true), scored(false));
}

}  // namespace
}  // namespace emberline::testing
