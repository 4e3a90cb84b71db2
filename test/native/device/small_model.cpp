#include "device/small_model.h"

#include <gtest/gtest.h>

#include <cstddef>

#include "device/paged_cache.h"

namespace emberline::testing {

SmallModel::SmallModel(Device& device, TensorType type, std::uint32_t max_rows, std::uint32_t activation,
                       std::uint64_t seed)
    : device_(device), table_(device) {
  constexpr std::uint32_t kWidth = 64, kHeads = 4, kKvHeads = 2, kHeadWidth = 16, kHidden = 96;
  constexpr std::uint32_t kKvWidth = kKvHeads * kHeadWidth;
  const auto type_id = static_cast<std::uint32_t>(type);
  Random random(seed);
  const auto matrix = [&](std::uint32_t out, std::uint32_t in) {
    return table_.matrix(type, out, in, random_weights(type, out, in, random));
  };
  const auto rows_of = [&](std::uint32_t width) { return table_.zeros(std::size_t{max_rows} * width * 4); };
  gain_ = table_.floats(random.normals(kWidth, 0.3f));
  const Binding w_q = matrix(kWidth, kWidth), w_k = matrix(kKvWidth, kWidth), w_v = matrix(kKvWidth, kWidth);
  const Binding w_o = matrix(kWidth, kWidth), w_gate = matrix(kHidden, kWidth),
                w_up = matrix(kHidden, kWidth);
  const Binding w_down = matrix(kWidth, kHidden);
  const Binding b_q = table_.floats(random.normals(kWidth)), b_k = table_.floats(random.normals(kKvWidth));
  const Binding b_v = table_.floats(random.normals(kKvWidth));
  embedding_ = matrix(kVocabulary, kWidth);
  tokens_ = table_.zeros((kContext + 1) * 4);
  log_probs_ = table_.zeros((kContext + 1) * 4);
  logits_ = table_.zeros(kVocabulary * 4);
  const Binding x = rows_of(kWidth), normed = rows_of(kWidth), q = rows_of(kWidth), k = rows_of(kKvWidth),
                v = rows_of(kKvWidth);
  const Binding attended = rows_of(kWidth), gate = rows_of(kHidden), up = rows_of(kHidden),
                hidden = rows_of(kHidden);
  constexpr TestHeads kHeadShape = {kHeads, kKvHeads, kHeadWidth, kHeadWidth};
  const PagedCache cache(table_, kHeadShape, kContext);

  table_.add(Op::kEmbedding, {tokens_, embedding_, x}, EmbeddingParams{kWidth, kVocabulary, type_id},
             Patch::kTokenOffset);
  const auto attention = [&] {
    table_.add(Op::kAttention, {q, cache.keys(), cache.values(), cache.pages(), attended},
               cache.attention(0.25f), Patch::kPosition);
  };
  if (device.offers(Op::kNormQkvRope, max_rows)) {
    const RopeKvWriteParams rope = cache.rope(0, 10000.0f);
    table_.add(Op::kNormQkvRope,
               {x, gain_, w_q, w_k, w_v, b_q, b_k, b_v, q, cache.keys(), cache.values(), cache.pages()},
               NormQkvRopeParams{kWidth, 1e-5f, type_id, type_id, type_id, 0, kHeads, kKvHeads, kHeadWidth,
                                 kHeadWidth, 0, 10000.0f, kContext, rope.page_stride},
               Patch::kPosition);
  } else if (device.offers(Op::kNormQkv, max_rows)) {
    table_.add(Op::kNormQkv, {x, gain_, w_q, w_k, w_v, b_q, b_k, b_v, q, k, v},
               NormQkvParams{kWidth, 1e-5f, kWidth, kKvWidth, type_id, type_id, type_id});
  } else {
    table_.add(Op::kRmsNorm, {x, gain_, normed}, RmsNormParams{kWidth, 1e-5f});
    table_.add(Op::kMatMul, {normed, w_q, b_q, q}, MatMulParams{kWidth, kWidth, type_id, 0, 0});
    table_.add(Op::kMatMul, {normed, w_k, b_k, k}, MatMulParams{kWidth, kKvWidth, type_id, 0, 0});
    table_.add(Op::kMatMul, {normed, w_v, b_v, v}, MatMulParams{kWidth, kKvWidth, type_id, 0, 0});
  }
  if (device.offers(Op::kNormQkvRope, max_rows)) {
    attention();
  } else if (device.offers(Op::kRopeAttention, max_rows)) {
    table_.add(Op::kRopeAttention, {q, k, v, cache.keys(), cache.values(), cache.pages(), attended},
               cache.rope_attention(0, 10000.0f, 0.25f), Patch::kPosition);
  } else {
    table_.add(Op::kRopeKvWrite, {q, k, v, cache.keys(), cache.values(), cache.pages()},
               cache.rope(0, 10000.0f), Patch::kPosition);
    attention();
  }
  table_.add(Op::kMatMul, {attended, w_o, kAbsent, x}, MatMulParams{kWidth, kWidth, type_id, 1, 0});
  if (device.offers(Op::kNormGateUp, max_rows)) {
    table_.add(Op::kNormGateUp, {x, gain_, w_gate, w_up, hidden},
               NormGateUpParams{kWidth, 1e-5f, kHidden, type_id, type_id, activation});
  } else {
    table_.add(Op::kRmsNorm, {x, gain_, normed}, RmsNormParams{kWidth, 1e-5f});
    table_.add(Op::kMatMul, {normed, w_gate, kAbsent, gate}, MatMulParams{kWidth, kHidden, type_id, 0, 0});
    table_.add(Op::kMatMul, {normed, w_up, kAbsent, up}, MatMulParams{kWidth, kHidden, type_id, 0, 0});
    table_.add(Op::kGatedUnit, {gate, up, hidden}, GatedUnitParams{kHidden, activation});
  }
  table_.add(Op::kMatMul, {hidden, w_down, kAbsent, x}, MatMulParams{kHidden, kWidth, type_id, 1, 0});
  if (device.offers(Op::kNormMatMul, max_rows)) {
    table_.add(Op::kNormMatMul, {x, gain_, embedding_, logits_},
               NormMatMulParams{kWidth, 1e-5f, kVocabulary, type_id, 1});
  } else {
    table_.add(Op::kRmsNorm, {x, gain_, normed}, RmsNormParams{kWidth, 1e-5f});
    table_.add(Op::kMatMul, {normed, embedding_, kAbsent, logits_},
               MatMulParams{kWidth, kVocabulary, type_id, 0, 1});
  }
  table_.add(Op::kArgmax, {logits_, tokens_, log_probs_}, ArgmaxParams{kVocabulary, 1}, Patch::kArgmaxOutput);
  const Status prepared = table_.prepare(max_rows);
  EXPECT_TRUE(prepared.ok()) << prepared.message();
}

void SmallModel::set_tokens(const std::vector<std::uint32_t>& tokens, std::uint32_t position) {
  EXPECT_TRUE(
      device_.write(tokens_.buffer, tokens_.offset + 4 * position, tokens.data(), tokens.size() * 4).ok());
}

}  // namespace emberline::testing
