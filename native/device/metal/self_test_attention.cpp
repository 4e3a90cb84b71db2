// The self-test's attention, norms of queries and keys, soft caps and chains.
#include <cmath>
#include <string>
#include <vector>

#include "device/metal/self_test_ops.h"
#include "device/metal/self_test_reference.h"
#include "device/metal/self_test_table.h"

namespace emberline::metal {

using reference::Values;
using reference::widen;

Status test_qk_norm(Device& device, std::uint32_t head_width, bool scaled, bool whole) {
  SelfTestTable table(device);
  constexpr std::uint32_t kRows = 3, kHeads = 2, kPosition = 5;
  const std::uint32_t q_width = kHeads * head_width;
  const std::uint32_t query_part = whole ? q_width : head_width;
  const auto plane = static_cast<std::uint32_t>(kv_page_bytes(1, head_width, kKvF16));
  const auto q = reference::values(kRows * q_width, 27), k = reference::values(kRows * head_width, 28),
             v = reference::values(kRows * head_width, 29), query_gain = reference::values(query_part, 30),
             key_gain = reference::values(head_width, 31);
  const auto factors = reference::rotation_factors(scaled ? head_width / 2 : 0);
  const Binding queries = table.floats(q), keys = table.zeros(plane), values = table.zeros(plane);
  using Slot = slot::QkNormRope;
  table.add(Op::kQkNormRope,
            {{Slot::kQ, queries},
             {Slot::kK, table.floats(k)},
             {Slot::kV, table.floats(v)},
             {Slot::kKeyCache, keys},
             {Slot::kValueCache, values},
             {Slot::kPages, table.words({0})},
             {Slot::kFactors, scaled ? table.floats(factors) : Binding{}},
             {Slot::kQueryGain, table.floats(query_gain)},
             {Slot::kKeyGain, table.floats(key_gain)}},
            QkNormRopeParams{kPosition, kHeads, 1, head_width, head_width, 1, 10000.0f, kKvPagePositions,
                             plane, kTestEpsilon, query_part, head_width});
  table.run(kRows, kPosition);
  Values expected_q = reference::rms_norm(widen(q), widen(query_gain), kTestEpsilon),
         expected_k = reference::rms_norm(widen(k), widen(key_gain), kTestEpsilon);
  reference::rotate(expected_q, head_width, q_width, kPosition, 10000.0, true, factors);
  reference::rotate(expected_k, head_width, head_width, kPosition, 10000.0, true, factors);
  const std::uint64_t entry = std::uint64_t{kPosition} * head_width * 2;
  const std::string of = " of heads of " + std::to_string(head_width);
  table.expect("normed queries" + of, table.read(queries, expected_q.size()), expected_q);
  table.expect("normed keys" + of, table.read_halves({keys.buffer, entry}, expected_k.size()), expected_k);
  table.expect("values beside normed keys" + of, table.read_halves({values.buffer, entry}, v.size()),
               widen(v));
  return table.status();
}

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
            AttentionParams{position, query_heads, kv_heads, head_width, scale, kKvPagePositions, plane,
                            window, cap});
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
                EmbeddingParams{kTokens, kTokens, id_of(TensorType::kF32)});
  first.patch = Patch::kTokenOffset;
  table.add(Op::kMatMul,
            {{slot::MatMul::kX, x},
             {slot::MatMul::kWeight, table.matrix(TensorType::kF32, kTokens, kTokens, outputs)},
             {slot::MatMul::kY, logits}},
            MatMulParams{kTokens, kTokens, id_of(TensorType::kF32), 0, 0});
  Command& last = table.add(Op::kArgmax,
                            {{slot::Argmax::kLogits, logits},
                             {slot::Argmax::kTokens, history},
                             {slot::Argmax::kLogProbs, log_probs}},
                            ArgmaxParams{kTokens, 0});
  last.patch = Patch::kArgmaxOutput;

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

}  // namespace emberline::metal
