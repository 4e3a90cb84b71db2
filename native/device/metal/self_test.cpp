#include "device/metal/self_test.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "base/try.h"
#include "device/metal/launch.h"
#include "device/metal/plan.h"
#include "device/metal/row_class.h"
#include "device/metal/self_test_reference.h"
#include "device/metal/self_test_table.h"

namespace emberline::metal {
namespace {

using reference::Values;
using reference::widen;

constexpr TensorType kTypes[] = {
    TensorType::kF32,  TensorType::kF16,    TensorType::kBF16,   TensorType::kQ4_0,
    TensorType::kQ4_1, TensorType::kQ5_0,   TensorType::kQ5_1,   TensorType::kQ8_0,
    TensorType::kQ2_K, TensorType::kQ3_K,   TensorType::kQ4_K,   TensorType::kQ5_K,
    TensorType::kQ6_K, TensorType::kIQ4_NL, TensorType::kIQ4_XS, TensorType::kMXFP4};
// One of each class of rows that has kernels of its own (row_class.h), where they leave something over; and
// more than those take.
constexpr std::uint32_t kFew[] = {1, 2, 3, 7, 16};
constexpr std::uint32_t kMany = row_capacity(RowClass::kMany) + 3;
constexpr float kEpsilon = 1e-5f;
// No multiple of what a threadgroup computes.
constexpr std::uint32_t kOut = 35;
// Of rows, and as few columns as have more than one block.
std::uint32_t width_of(TensorType type) {
  return traits(type).block_elements == 256 ? 512 : 96;
}

std::string named(const char* what, TensorType type, std::uint32_t rows) {
  return std::string(what) + " of " + traits(type).name + " weights, " + std::to_string(rows) + " rows,";
}
std::uint32_t id(TensorType type) {
  return static_cast<std::uint32_t>(type);
}

Values added(Values a, const Values& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i % b.size()];
  return a;
}

// A weight matrix, and the same for the reference.
struct TestMatrix {
  std::vector<std::uint8_t> bytes;
  Values values;
  TestMatrix(TensorType type, std::uint32_t rows, std::uint32_t columns, std::uint32_t seed)
      : bytes(reference::weights(type, rows, columns, seed)),
        values(widen(type, bytes, std::size_t{rows} * columns)) {}
};

Status test_embedding(Device& device, TensorType type) {
  SelfTestTable table(device);
  const std::uint32_t width = width_of(type);
  const TestMatrix embeddings(type, 7, width, 1);
  const Binding out = table.zeros(3 * width * 4);
  using Slot = slot::Embedding;
  table.add(Op::kEmbedding,
            {{Slot::kTokens, table.words({6, 0, 3})},
             {Slot::kTable, table.matrix(type, 7, width, embeddings.bytes)},
             {Slot::kOut, out}},
            EmbeddingParams{width, 7, id(type)});
  table.run(3);
  Values expected;
  for (const std::size_t token : {6, 0, 3}) {
    const auto row = embeddings.values.begin() + static_cast<std::ptrdiff_t>(token * width);
    expected.insert(expected.end(), row, row + width);
  }
  table.expect(named("embeddings", type, 3), table.read(out, 3 * width), expected);
  return table.status();
}

Status test_product(Device& device, TensorType type, std::uint32_t rows, bool biased) {
  SelfTestTable table(device);
  const std::uint32_t width = width_of(type);
  const TestMatrix weight(type, kOut, width, 2);
  const auto x = reference::values(rows * width, 3), bias = reference::values(kOut, 4),
             before = reference::values(rows * kOut, 5);
  const Binding y = table.floats(before);
  using Slot = slot::MatMul;
  table.add(Op::kMatMul,
            {{Slot::kX, table.floats(x)},
             {Slot::kWeight, table.matrix(type, kOut, width, weight.bytes)},
             {Slot::kBias, biased ? table.floats(bias) : Binding{}},
             {Slot::kY, y}},
            MatMulParams{width, kOut, id(type), 1, 0});
  table.run(rows);
  Values product = reference::product(widen(x), weight.values, width);
  if (biased) product = added(product, widen(bias));
  table.expect(named("products", type, rows), table.read(y, rows * kOut), added(product, widen(before)));
  return table.status();
}

Status test_norm_product(Device& device, TensorType type, std::uint32_t rows) {
  SelfTestTable table(device);
  const std::uint32_t width = width_of(type);
  const TestMatrix weight(type, kOut, width, 6);
  const auto x = reference::values(rows * width, 7), gain = reference::values(width, 8);
  const Binding y = table.zeros(rows * kOut * 4);
  using Slot = slot::NormMatMul;
  table.add(Op::kNormMatMul,
            {{Slot::kX, table.floats(x)},
             {Slot::kGain, table.floats(gain)},
             {Slot::kWeight, table.matrix(type, kOut, width, weight.bytes)},
             {Slot::kY, y}},
            NormMatMulParams{width, kEpsilon, kOut, id(type), 0});
  table.run(rows);
  const Values normed = reference::rms_norm(widen(x), widen(gain), kEpsilon);
  table.expect(named("normed products", type, rows), table.read(y, rows * kOut),
               reference::product(normed, weight.values, width));
  return table.status();
}

Status test_gate_up(Device& device, TensorType type, std::uint32_t rows, std::uint32_t activation) {
  SelfTestTable table(device);
  const std::uint32_t width = width_of(type);
  const TestMatrix gate(type, kOut, width, 9), up(type, kOut, width, 10);
  const auto x = reference::values(rows * width, 11), gain = reference::values(width, 12);
  const Binding out = table.zeros(rows * kOut * 4);
  using Slot = slot::NormGateUp;
  table.add(Op::kNormGateUp,
            {{Slot::kX, table.floats(x)},
             {Slot::kGain, table.floats(gain)},
             {Slot::kWGate, table.matrix(type, kOut, width, gate.bytes)},
             {Slot::kWUp, table.matrix(type, kOut, width, up.bytes)},
             {Slot::kOut, out}},
            NormGateUpParams{width, kEpsilon, kOut, id(type), id(type), activation});
  table.run(rows);
  const Values normed = reference::rms_norm(widen(x), widen(gain), kEpsilon);
  table.expect(named("gated products", type, rows), table.read(out, rows * kOut),
               reference::gated_unit(reference::product(normed, gate.values, width),
                                     reference::product(normed, up.values, width), activation));
  return table.status();
}

// One page of keys or values.
constexpr std::uint32_t kHeadWidth = 64, kQueryHeads = 3, kKvHeads = 1;
constexpr std::uint32_t kPlane = static_cast<std::uint32_t>(kv_page_bytes(kKvHeads, kHeadWidth, kKvF16));

Status test_qkv(Device& device, QkvTypes types, std::uint32_t rows, bool biased, bool scaled) {
  SelfTestTable table(device);
  const std::uint32_t width = width_of(types.queries);
  const std::uint32_t q_out = kQueryHeads * kHeadWidth, kv_out = kKvHeads * kHeadWidth, position = 5;
  const TestMatrix q(types.queries, q_out, width, 13), k(types.queries, kv_out, width, 14),
      v(types.values, kv_out, width, 15);
  const auto x = reference::values(rows * width, 16), gain = reference::values(width, 17),
             bias_q = reference::values(q_out, 18), bias_k = reference::values(kv_out, 19),
             bias_v = reference::values(kv_out, 20);
  const auto factors = reference::rotation_factors(scaled ? kHeadWidth / 2 : 0);
  const Binding out = table.zeros(rows * q_out * 4), cache = table.zeros(std::size_t{4} * kPlane);
  const std::uint32_t page = 1;  // of two
  const std::uint64_t entry = std::uint64_t{2} * kPlane * page + std::uint64_t{position} * kv_out * 2;
  using Slot = slot::NormQkvRope;
  table.add(Op::kNormQkvRope,
            {{Slot::kX, table.floats(x)},
             {Slot::kGain, table.floats(gain)},
             {Slot::kWq, table.matrix(types.queries, q_out, width, q.bytes)},
             {Slot::kWk, table.matrix(types.queries, kv_out, width, k.bytes)},
             {Slot::kWv, table.matrix(types.values, kv_out, width, v.bytes)},
             {Slot::kBq, biased ? table.floats(bias_q) : Binding{}},
             {Slot::kBk, biased ? table.floats(bias_k) : Binding{}},
             {Slot::kBv, biased ? table.floats(bias_v) : Binding{}},
             {Slot::kQ, out},
             {Slot::kKeyCache, cache},
             {Slot::kValueCache, {cache.buffer, kPlane}},
             {Slot::kPages, table.words({page})},
             {Slot::kFactors, scaled ? table.floats(factors) : Binding{}}},
            NormQkvRopeParams{width, kEpsilon, id(types.queries), id(types.queries), id(types.values),
                              position, kQueryHeads, kKvHeads, kHeadWidth, kHeadWidth, rows % 2, 10000.0f,
                              kKvPagePositions, 2 * kPlane});
  table.run(rows, position);
  const Values normed = reference::rms_norm(widen(x), widen(gain), kEpsilon);
  const auto projected = [&](const TestMatrix& weight, const std::vector<float>& bias) {
    const Values product = reference::product(normed, weight.values, width);
    return biased ? added(product, widen(bias)) : product;
  };
  Values expected_q = projected(q, bias_q), expected_k = projected(k, bias_k);
  const Values expected_v = projected(v, bias_v);
  reference::rotate(expected_q, kHeadWidth, q_out, position, 10000.0, rows % 2 != 0, factors);
  reference::rotate(expected_k, kHeadWidth, kv_out, position, 10000.0, rows % 2 != 0, factors);
  table.expect(named("queries", types.queries, rows), table.read(out, rows * q_out), expected_q);
  table.expect(named("keys", types.queries, rows), table.read_halves({cache.buffer, entry}, rows * kv_out),
               expected_k);
  table.expect(named("values", types.values, rows),
               table.read_halves({cache.buffer, entry + kPlane}, rows * kv_out), expected_v);
  return table.status();
}

// What the attention of models differs in beside their heads.
struct AttentionKind {
  bool window = false, cap = false;
};

Status test_attention(Device& device, std::uint32_t head_width, std::uint32_t heads_per_kv,
                      std::uint32_t rows, AttentionKind kind) {
  SelfTestTable table(device);
  const std::uint32_t kv_heads = 2, query_heads = kv_heads * heads_per_kv;
  const std::uint32_t entries = 45, position = entries - rows;
  const std::uint32_t q_width = query_heads * head_width, kv_width = kv_heads * head_width;
  const auto plane = static_cast<std::uint32_t>(kv_page_bytes(kv_heads, head_width, kKvF16));
  const auto q = reference::values(rows * q_width, 21);
  auto keys = reference::values(entries * kv_width, 22), values = reference::values(entries * kv_width, 23);
  const Values widened_keys = widen(keys), widened_values = widen(values);
  keys.resize(plane / 2);
  values.resize(plane / 2);
  const Binding out = table.zeros(rows * q_width * 4);
  const float scale = 1.0f / std::sqrt(static_cast<float>(head_width));
  // The window begins within a block of entries; scores, of about 0.3, are small beside a cap of 50, which
  // would show nothing.
  const std::uint32_t window = kind.window ? 19 : 0;
  const float cap = kind.cap ? 0.25f : 0.0f;
  using Slot = slot::Attention;
  table.add(Op::kAttention,
            {{Slot::kQ, table.floats(q)},
             {Slot::kKeyCache, table.halves(keys)},
             {Slot::kValueCache, table.halves(values)},
             {Slot::kPages, table.words({0})},
             {Slot::kOut, out}},
            AttentionParams{position, entries, query_heads, kv_heads, head_width, scale, kKvPagePositions,
                            plane, window, cap});
  table.run(rows, position);
  std::string name = "attention over heads of " + std::to_string(head_width);
  if (kind.window) name += " through a window";
  table.expect(name + ", " + std::to_string(rows) + " rows,", table.read(out, rows * q_width),
               reference::attention(widen(q), widened_keys, widened_values,
                                    {query_heads, kv_heads, head_width}, {scale, window, cap}));
  return table.status();
}

Status test_soft_cap(Device& device) {
  SelfTestTable table(device);
  constexpr std::uint32_t kWidth = 300;
  constexpr float kCap = 0.5f;
  const auto x = reference::values(2 * kWidth, 24);
  const Binding out = table.floats(x);
  table.add(Op::kSoftCap, {{slot::SoftCap::kX, out}}, SoftCapParams{kWidth, kCap, 0});
  table.run(2);
  table.expect("capped logits", table.read(out, 2 * kWidth), reference::soft_capped(widen(x), kCap));
  return table.status();
}

// A model whose token t is followed by t + 1: the whole of a chain, with the stop set and what is skipped
// behind it.
Status test_chain(Device& device) {
  SelfTestTable table(device);
  constexpr std::uint32_t kTokens = 64, kFirst = 5, kLast = 10, kSteps = 9;
  std::vector<float> unit(kTokens * kTokens), next(kTokens * kTokens);
  for (std::uint32_t t = 0; t < kTokens; ++t) {
    unit[t * kTokens + t] = 1.0f;
    next[(t + 1) % kTokens * kTokens + t] = 8.0f;
  }
  const auto bytes = [](const std::vector<float>& values) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(values.data());
    return std::vector<std::uint8_t>(from, from + values.size() * sizeof(float));
  };
  std::vector<std::uint32_t> tokens(kSteps + 2);
  tokens[1] = kFirst;
  const auto embeddings = bytes(unit), outputs = bytes(next);
  const Binding history = table.words(tokens), x = table.zeros(kTokens * 4),
                logits = table.zeros(kTokens * 4), log_probs = table.zeros(tokens.size() * 4);
  Command& first =
      table.add(Op::kEmbedding,
                {{slot::Embedding::kTokens, history},
                 {slot::Embedding::kTable, table.matrix(TensorType::kF32, kTokens, kTokens, embeddings)},
                 {slot::Embedding::kOut, x}},
                EmbeddingParams{kTokens, kTokens, id(TensorType::kF32)});
  first.patch = Patch::kTokenOffset;
  first.patch_offset_1 = offsetof(EmbeddingParams, position);
  table.add(Op::kMatMul,
            {{slot::MatMul::kX, x},
             {slot::MatMul::kWeight, table.matrix(TensorType::kF32, kTokens, kTokens, outputs)},
             {slot::MatMul::kY, logits}},
            MatMulParams{kTokens, kTokens, id(TensorType::kF32), 0, 0});
  Command& last = table.add(Op::kArgmax,
                            {{slot::Argmax::kLogits, logits},
                             {slot::Argmax::kTokens, history},
                             {slot::Argmax::kLogProbs, log_probs}},
                            ArgmaxParams{kTokens, 0});
  last.patch = Patch::kArgmaxOutput;
  last.patch_offset_1 = offsetof(ArgmaxParams, position);

  const std::uint64_t stop = std::uint64_t{1} << kLast;
  Replay request;
  request.position = 1;
  request.steps = kSteps;
  request.stop.bits = {&stop, 1};
  const ReplayOutcome outcome = table.run(request);
  table.expect("the end of a chain", outcome.stopped && outcome.steps_completed == kLast - kFirst);
  std::vector<std::uint32_t> expected(tokens.size());
  for (std::uint32_t p = 1; p <= 1 + kLast - kFirst; ++p) expected[p] = kFirst + p - 1;
  table.expect("a chain", table.read_words(history, tokens.size()) == expected);
  const auto log_prob = static_cast<float>(-std::log1p((kTokens - 1) * std::exp(-8.0)));
  table.expect("log-probabilities", table.read({log_probs.buffer, 8}, 1), Values{log_prob});
  return table.status();
}

// What the layers of models differ in beside the types of their matrices.
struct LayerKind {
  std::uint32_t activation;
  bool qkv_biases, attention_output_bias, rope_factors;
};

Status test_layers(Device& device, TensorType type, const LayerKind& kind) {
  Status status;
  for (const bool biased : {false, true}) {
    if (biased && !kind.attention_output_bias) continue;
    for (const std::uint32_t rows : kFew) {
      if (status.ok()) status = test_product(device, type, rows, biased);
    }
    if (status.ok()) status = test_product(device, type, kMany, biased);
  }
  // Larger batches are made of products and what test_parts sees.
  for (const std::uint32_t rows : kFew) {
    if (status.ok() && device.offers(Op::kNormGateUp, rows))
      status = test_gate_up(device, type, rows, kind.activation);
    if (status.ok() && device.offers(Op::kNormQkvRope, rows))
      status = test_qkv(device, {type, type}, rows, kind.qkv_biases, kind.rope_factors);
  }
  return status;
}

// Values of another type than queries and keys, where that has kernels of its own.
Status test_mixed_qkv(Device& device, QkvTypes types, const LayerKind& kind) {
  Status status;
  for (const std::uint32_t rows : kFew) {
    if (status.ok() && device.offers(Op::kNormQkvRope, rows))
      status = test_qkv(device, types, rows, kind.qkv_biases, kind.rope_factors);
  }
  return status;
}

Status test_output(Device& device, TensorType type) {
  Status status;
  for (const std::uint32_t rows : kFew) {
    if (status.ok() && device.offers(Op::kNormMatMul, rows)) status = test_norm_product(device, type, rows);
  }
  return status;
}

// Norm, gate and rotation as commands of their own.
Status test_parts(Device& device, TensorType type, const LayerKind& kind) {
  Status status;
  if (device.offers(Op::kNormGateUp, kMany)) status = test_gate_up(device, type, kMany, kind.activation);
  if (status.ok() && device.offers(Op::kNormQkvRope, kMany))
    status = test_qkv(device, {type, type}, kMany, kind.qkv_biases, kind.rope_factors);
  return status;
}

Status test_types(const ModelNeeds& needs) {
  std::vector<TensorType> types = needs.layer_types;
  types.insert(types.end(), {needs.embedding_type, needs.output_type});
  for (const TensorType type : types) {
    if (!has_kernels(type))
      return Status(ErrorCode::kDeviceUnavailable,
                    std::string("The GPU has no kernels for ") + traits(type).name +
                        " weights; choose a file quantised as Q4_0 or Q8_0 for it.");
  }
  return {};
}

}  // namespace

Status self_test(Device& device, const ModelNeeds& needs) {
  TRY(test_types(needs));
  const LayerKind kind{needs.gate_activation, needs.qkv_biases, needs.attention_output_bias,
                       needs.rope_factors};
  Status status = test_embedding(device, needs.embedding_type);
  for (const TensorType type : needs.layer_types) {
    if (status.ok()) status = test_layers(device, type, kind);
  }
  for (const QkvTypes types : needs.mixed_qkv_types) {
    if (status.ok()) status = test_mixed_qkv(device, types, kind);
  }
  if (status.ok() && !needs.layer_types.empty()) status = test_parts(device, needs.layer_types.front(), kind);
  for (const bool window : {false, true}) {
    if (window && !needs.window) continue;
    for (const std::uint32_t rows : {1u, kMany}) {
      if (status.ok())
        status = test_attention(device, needs.head_width, needs.query_heads / needs.kv_heads, rows,
                                {window, needs.score_cap});
    }
  }
  if (status.ok() && needs.logit_cap) status = test_soft_cap(device);
  if (status.ok()) status = test_output(device, needs.output_type);
  if (status.ok()) status = test_chain(device);
  return status;
}

Status self_test(Device& device) {
  Status status;
  for (const TensorType type : kTypes) {
    if (status.ok()) status = test_embedding(device, type);
    if (status.ok()) status = test_layers(device, type, {kGateSilu, true, true, false});
    if (status.ok()) status = test_output(device, type);
  }
  for (std::uint32_t activation = 0; activation < kGateActivations; ++activation) {
    if (status.ok()) status = test_parts(device, TensorType::kF16, {activation, true, true, activation != 0});
  }
  for (const QkvTypes types : mixed_qkv_types()) {
    if (status.ok()) status = test_mixed_qkv(device, types, {kGateSilu, true, true, true});
  }
  for (const std::uint32_t head_width : {64u, 80u, 96u, 128u, 256u}) {
    if (status.ok()) status = test_attention(device, head_width, 1, 1, {});
    if (status.ok()) status = test_attention(device, head_width, 3, kMany, {});
  }
  for (const std::uint32_t rows : {1u, kMany}) {
    if (status.ok()) status = test_attention(device, 64, 2, rows, {true, true});
  }
  if (status.ok()) status = test_soft_cap(device);
  if (status.ok()) status = test_chain(device);
  return status;
}

}  // namespace emberline::metal
