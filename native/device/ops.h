// The operations a device runs, and the parameter block of each.
//
// A forward pass is a DispatchTable of these (dispatch_table.h), written once by model/table_builder and
// replayed by any device. Shapes below use: R = rows of the batch (1 at decode), D = model width, F =
// feed-forward width, H = query heads, G = key/value heads, d = head width, V = vocabulary. All activations
// are float32, row-major, one row a token.
//
// Tokens lie by their absolute positions: tokens[p] is the token at position p, and log_probs[p] its
// log-probability where a device chose it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/op_params.h"

namespace emberline {

enum class Op : std::uint8_t {
  // -- basic: every device offers these
  kEmbedding,    // tokens (u32), table[V, D] -> out[R, D] = scale * rows of the table
  kRmsNorm,      // x[R, P*D], gain[D], bias[D]?, addend[R, P*D]? -> out[R, P*D] for P parts; out may be x
  kMatMul,       // x[R, in], weight[out, in], bias[out]? -> y[R, out]  (y += where params.accumulate)
  kRopeKvWrite,  // q[R, H*d] (rotated in place), k[R, G*d], v[R, G*d], factors[rotary/2]? -> cache entries
                 // position..position+R-1
  kAttention,    // q[R, H*d], cache -> out[R, H*d]; causal: row r sees position + r + 1 entries, or the last
                 // `window` of them
  kGatedUnit,    // gate[R, F], up[R, F]? -> out[R, F] = activation(gate) * up; without up activation(gate)
  kArgmax,       // logits[R, V] -> tokens (u32, lowest id wins a tie), log_probs (f32, of that token)
  // (a logit that is not finite fails the replay with LOGITS_NOT_FINITE); behind kGumbel, which
  // gives it scores: the log-probability is raw_logits[token] - normalizer[0]
  kSoftCap,  // x[R, N] -> x = cap * tanh(x / cap): logits
  // -- fused: offered by a device that gains from them (Device::offers)
  kNormQkv,        // x, gain, w_q, w_k, w_v, (bias_q, bias_k, bias_v)? -> q, k, v
  kNormGateUp,     // x, gain, w_gate, w_up -> out[R, F] = activation(gate) * up
  kNormMatMul,     // x, gain, weight -> y: the output matrix behind the last norm
  kNormArgmax,     // x, gain, weight[V, D] -> tokens, log_probs: the same and kArgmax, without writing logits
  kRopeAttention,  // q[R, H*d], k, v, cache, factors? -> out[R, H*d]: kRopeKvWrite, then kAttention; q is
                   // left
                   // undefined
  kNormQkvRope,    // x, gain, w_q, w_k, w_v, biases?, factors? -> q[R, H*d] rotated, cache entries: kNormQkv
                   // and kRopeKvWrite
  kQkNormRope,     // q[R, H*d], k, v, gains, cache, factors? -> q normed and rotated in place, cache entries:
                   // two kRmsNorm and kRopeKvWrite
  kAddNormQkv,     // x, added[R, D], added_gain[D] -> sum[R, D] = x + norm(added); kNormQkv of the sum
  kAddNormGateUp,  // the same with kNormGateUp
  kGumbel,  // logits[1, V], token history, SamplingBlock -> scores[V], whose argmax is a sample of the law in
            // sampling/sampling_params.h; normalizer[1] = log of the sum of exp(logits)
  // -- of mixtures of experts: offered by a device that runs them. E experts, of which a row uses its k
  // likeliest, of F hidden elements each; matrices of several experts lie one behind the other.
  kExperts,  // x[R, D], logits[R, E], w_gate[E*F, D], w_up[E*F, D], w_down[E*D, F] -> out[R, D] += sum over
             // the row's experts e of p_e (activation(x gate_e^T) * (x up_e^T)) down_e^T, p_e of the logits;
             // hidden[R, k*F] is left undefined
};
inline constexpr int kOpCount = static_cast<int>(Op::kExperts) + 1;

constexpr bool is_basic(Op op) {
  return op <= Op::kSoftCap;
}

// "attention" for kAttention, and so on: for error messages. Never null.
const char* op_name(Op op);

// Binding slots of each op, in Command::bindings. A slot marked optional holds kNoBuffer when absent.
namespace slot {
struct Embedding {
  enum : int { kTokens, kTable, kOut };
};
struct RmsNorm {
  enum : int { kX, kGain, kOut, kBias /*optional*/, kAddend /*optional, with params.accumulate*/ };
};
struct MatMul {
  enum : int { kX, kWeight, kBias /*optional*/, kY };
};
struct RopeKvWrite {
  enum : int { kQ, kK, kV, kKeyCache, kValueCache, kPages, kFactors /*optional*/ };
};
struct Attention {
  enum : int { kQ, kKeyCache, kValueCache, kPages, kOut };
};
struct GatedUnit {
  enum : int { kGate, kUp /*optional*/, kOut };
};
struct Argmax {
  enum : int { kLogits, kTokens, kLogProbs, kRawLogits /*optional*/, kNormalizer /*with kRawLogits*/ };
};
struct SoftCap {
  enum : int { kX };
};
struct NormQkv {
  enum : int { kX, kGain, kWq, kWk, kWv, kBq /*optional*/, kBk, kBv, kQ, kK, kV };
};
struct NormGateUp {
  enum : int { kX, kGain, kWGate, kWUp, kOut };
};
struct NormMatMul {
  enum : int { kX, kGain, kWeight, kY };
};
struct NormArgmax {
  enum : int { kX, kTokens, kLogProbs, kGain, kWeight };
};
struct RopeAttention {
  enum : int { kQ, kK, kV, kKeyCache, kValueCache, kPages, kOut, kFactors /*optional*/ };
};
struct NormQkvRope {
  enum : int {
    kX,
    kGain,
    kWq,
    kWk,
    kWv,
    kBq /*optional*/,
    kBk,
    kBv,
    kQ,
    kKeyCache,
    kValueCache,
    kPages,
    kFactors /*optional*/
  };
};
struct QkNormRope : RopeKvWrite {
  enum : int { kQueryGain = kFactors + 1, kKeyGain };
};
struct AddNormQkv : NormQkv {
  enum : int { kAdded = kV + 1, kAddedGain, kSum };
};
struct AddNormGateUp : NormGateUp {
  enum : int { kAdded = kOut + 1, kAddedGain, kSum };
};
struct Gumbel {
  enum : int { kLogits, kTokens, kSampling, kScores, kNormalizer };
};
struct Experts {
  enum : int { kX, kLogits, kWGate, kWUp, kWDown, kHidden, kOut };
};
}  // namespace slot

// Scales of a key, or a value, of one head where a cache is kKvQ8_0.
constexpr std::size_t kv_blocks(std::size_t head_width) {
  return head_width / kKvBlockElements + (head_width % kKvBlockElements != 0 ? 1 : 0);
}
// Bytes of a key, or a value, of one head.
constexpr std::uint64_t kv_row_bytes(std::size_t head_width, std::uint32_t cache_type) {
  return cache_type == kKvQ8_0 ? head_width + 2 * kv_blocks(head_width) : 2 * head_width;
}
// Bytes of a page's keys, or values, for one layer.
constexpr std::uint64_t kv_page_bytes(std::uint32_t kv_heads, std::uint32_t head_width,
                                      std::uint32_t cache_type) {
  return std::uint64_t{kKvPagePositions} * kv_heads * kv_row_bytes(head_width, cache_type);
}
constexpr std::uint32_t kv_page_count(std::uint32_t positions) {
  return positions / kKvPagePositions + (positions % kKvPagePositions != 0 ? 1 : 0);
}

}  // namespace emberline
