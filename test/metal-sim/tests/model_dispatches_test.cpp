// What a model on the simulated GPU says of its dispatches, and what is counted when they run.
#include <array>

#include "engine/dispatch_list.h"
#include "model_fixture.h"
#include "token_bytes.h"

namespace emberline::testing {
namespace {

using Grid = std::array<std::uint32_t, 3>;

class ModelDispatches : public SimulatedMac {
 protected:
  // Of the toy on a new device.
  std::vector<DispatchDescription> list(const ToyModel& toy, std::uint32_t rows, bool sampled = false) {
    ModelOptions options;
    options.path = directory_.file("toy.gguf");
    EXPECT_TRUE(toy.writer().write(options.path));
    const auto model = take(Model::load_on(metal_device(), options));
    return take(list_dispatches(*model, rows, sampled));
  }

 private:
  TemporaryDirectory directory_;
};

TEST_F(ModelDispatches, AreKnownByHandForAToy) {
  const std::vector<DispatchDescription> dispatches = list(gpu_toy(TensorType::kQ4_0), 1);
  ASSERT_EQ(dispatches.size(), 2 * 5 + 3u);
  const char* labels[] = {"embedding",
                          "layer 0 norm+qkv+rope+kv write",
                          "layer 0 attention",
                          "layer 0 attention output",
                          "layer 0 norm+gate+up",
                          "layer 0 down",
                          "layer 1 norm+qkv+rope+kv write"};
  for (std::size_t i = 0; i < std::size(labels); ++i) EXPECT_EQ(dispatches[i].label, labels[i]);

  const DispatchDescription& embedding = dispatches[0];
  EXPECT_EQ(embedding.kernel, "embedding_q4_0");
  EXPECT_EQ(embedding.threadgroups, (Grid{1, 1, 1}));
  EXPECT_EQ(embedding.patch, Patch::kTokenOffset);
  EXPECT_EQ(embedding.traffic.weights, 128 / 32 * 18u);
  EXPECT_EQ(embedding.traffic.other, 4 + 128 * 4u);  // the token, its row

  // One head of keys and values 64 wide, for two heads of queries.
  const DispatchDescription& attention = dispatches[2];
  EXPECT_EQ(attention.kernel, "attention_decode");
  EXPECT_EQ(attention.threadgroups, (Grid{1, 1, 1}));
  EXPECT_EQ(attention.patch, Patch::kPosition);
  EXPECT_EQ(attention.traffic.weights, 0u);
  EXPECT_EQ(attention.traffic.kv, 2 * 64 * 2u);
  EXPECT_EQ(attention.traffic.other, 2 * 128 * 4 + 4u);  // queries, what they give, the page

  const DispatchDescription& gate_up = dispatches[4];
  EXPECT_EQ(gate_up.kernel, "norm_gate_up_q4_0");
  EXPECT_EQ(gate_up.patch, Patch::kNone);
  EXPECT_EQ(gate_up.traffic.weights, 2 * 192 * 128 / 32 * 18u);
  EXPECT_EQ(gate_up.traffic.other, (128 + 128 + 192) * 4u);  // x, gain, out

  EXPECT_EQ(dispatches.back().label, "argmax");
  EXPECT_EQ(dispatches.back().patch, Patch::kArgmaxOutput);
}

// Of a layer that has one in front of it and one behind: the commands between the same commands of theirs.
std::size_t commands_a_layer(const std::vector<DispatchDescription>& dispatches) {
  std::size_t count = 0;
  for (const DispatchDescription& dispatch : dispatches) count += dispatch.label.starts_with("layer 1 ");
  return count;
}

// As files mix them: Q4_K with Q6_K for values and the down matrix of every other layer, and the output
// matrix.
ToyModel as_q4_k_m(const ToyModel& other) {
  ToyModel toy = gpu_toy(TensorType::kQ4_K);
  toy.architecture = other.architecture;
  toy.head_norms = other.head_norms;
  toy.norms_on_both_sides = other.norms_on_both_sides;
  toy.layers = 3;
  toy.mixed_type = toy.output_type = TensorType::kQ6_K;
  return toy;
}

// Five of llama's and gemma's; one more for norms of queries and keys, or where an addition to the stream
// comes in front of the products of queries, keys and values.
TEST_F(ModelDispatches, OfALayerAreFiveOrSix) {
  ToyModel llama, qwen3, gemma, gemma2, gemma3;
  qwen3.architecture = "qwen3";
  gemma.architecture = "gemma";
  gemma2.architecture = "gemma2";
  gemma3.architecture = "gemma3";
  qwen3.head_norms = gemma3.head_norms = true;
  gemma2.norms_on_both_sides = gemma3.norms_on_both_sides = true;
  for (const auto& [toy, expected] :
       {std::pair{llama, 5u}, {qwen3, 6u}, {gemma, 5u}, {gemma2, 6u}, {gemma3, 6u}}) {
    SCOPED_TRACE(toy.architecture);
    EXPECT_EQ(commands_a_layer(list(as_q4_k_m(toy), 1)), expected);
  }
  const char* labels[] = {"layer 1 add+norm+qkv",     "layer 1 query+key norm+rope+kv write",
                          "layer 1 attention",        "layer 1 attention output",
                          "layer 1 add+norm+gate+up", "layer 1 down"};
  std::size_t next = 0;
  const std::vector<DispatchDescription> dispatches = list(as_q4_k_m(gemma3), 1);
  for (const DispatchDescription& dispatch : dispatches) {
    if (dispatch.label.starts_with("layer 1 ")) {
      EXPECT_EQ(dispatch.label, labels[next++]);
    }
  }
  // The first layer has nothing to add, and of the last something is left.
  EXPECT_EQ(dispatches[1].label, "layer 0 norm+qkv");
  EXPECT_EQ(dispatches[dispatches.size() - 3].label, "layer 2 norm behind feed-forward part");
}

// Positions that are scaled cost no command.
TEST_F(ModelDispatches, OfScaledPositionsAreNoMore) {
  ToyModel toy = gpu_toy(TensorType::kQ4_K);
  toy.rope_factors.assign(32, 2.0f);
  EXPECT_EQ(list(toy, 1).size(), 2 * 5 + 3u);
}

// Values of a type that files mix with that of queries and keys cost none either; of another, the layer's
// norm, products and rotation come apart.
TEST_F(ModelDispatches, OfMixedTypesAreNoMoreWhereTheyHaveKernels) {
  ToyModel toy = gpu_toy(TensorType::kQ4_K);
  toy.output_type = TensorType::kQ6_K;
  toy.mixed_type = TensorType::kQ6_K;
  const std::vector<DispatchDescription> dispatches = list(toy, 1);
  ASSERT_EQ(dispatches.size(), 2 * 5 + 3u);
  EXPECT_EQ(dispatches[1].kernel, "norm_qkv_rope_q4_k_q6_k");
  EXPECT_EQ(dispatches[6].kernel, "norm_qkv_rope_q4_k");
  EXPECT_EQ(dispatches[11].kernel, "norm_mat_vec_q6_k");
  toy.mixed_type = TensorType::kQ8_0;
  EXPECT_EQ(list(toy, 1).size(), 2 * 5 + 3u + 4);
}

TEST_F(ModelDispatches, OfATokenAreWhatIsCountedInAChain) {
  SamplingBlock sampling{};
  sampling.temperature = sampling.top_p = sampling.repeat_penalty = 1;
  sampling.penalty_window = 64;
  ToyModel qwen3, gemma3;
  qwen3.architecture = "qwen3";
  gemma3.architecture = "gemma3";
  qwen3.head_norms = gemma3.head_norms = gemma3.norms_on_both_sides = true;
  for (const auto& [toy, sampled] : {std::pair{gpu_toy(TensorType::kQ8_0), false},
                                     {gpu_toy(TensorType::kQ8_0), true},
                                     {as_q4_k_m({}), false},
                                     {as_q4_k_m(qwen3), true},
                                     {as_q4_k_m(gemma3), false}}) {
    SCOPED_TRACE(toy.architecture + (sampled ? ", sampled" : ""));
    const std::vector<DispatchDescription> dispatches = list(toy, 1, sampled);
    ToyPass metal(toy, 256, metal_device());
    metal.prefill(random_tokens(9, metal.hyperparameters.vocabulary, 3));
    metal_sim::clear_counts();
    const std::uint32_t chunk[] = {1};
    run_chain(
        *metal.pass, 3,
        {.position = 9, .steps = 1, .stop = {}, .cancel = nullptr, .sampling = sampled ? &sampling : nullptr},
        chunk);
    const metal_sim::Counts counts = metal_sim::counts();
    EXPECT_EQ(dispatches.size(), counts.dispatches);
    std::uint64_t weights = 0, kv = 0;
    for (const DispatchDescription& dispatch : dispatches) {
      EXPECT_EQ(counts.kernels.count(dispatch.kernel), 1u) << dispatch.kernel;
      weights += dispatch.traffic.weights;
      kv += dispatch.traffic.kv;
    }
    EXPECT_EQ(weights, weight_bytes_of_token(*metal.file));
    EXPECT_EQ(weights, counts.traffic_of("matrices").bytes_read);
    EXPECT_EQ(kv, kv_bytes_of_position(toy.layers, toy.kv_heads, toy.head_width));
  }
}

}  // namespace
}  // namespace emberline::testing
