// The operations a device runs, and the parameter block of each.
//
// A forward pass is a DispatchTable of these (dispatch_table.h), written once by model/table_builder and
// replayed by any device. Shapes below use: R = rows of the batch (1 at decode), D = model width, F =
// feed-forward width, H = query heads, G = key/value heads, d = head width, V = vocabulary. All activations
// are float32, row-major, one row a token. Parameter blocks are plain 32-bit fields so that a GPU host can
// pass their bytes unchanged.
#pragma once

#include <cstdint>

namespace emberline {

enum class Op : std::uint8_t {
  // -- basic: every device offers these
  kEmbedding,    // tokens[R] (u32), table[V, D] -> out[R, D]
  kRmsNorm,      // x[R, D], gain[D] -> out[R, D]
  kMatMul,       // x[R, in], weight[out, in], bias[out]? -> y[R, out]  (y += where params.accumulate)
  kRopeKvWrite,  // q[R, H*d] (rotated in place), k[R, G*d], v[R, G*d] -> cache entries
                 // position..position+R-1
  kAttention,    // q[R, H*d], cache -> out[R, H*d]; causal: row r sees position + r + 1 entries
  kSwiGlu,       // gate[R, F], up[R, F] -> out[R, F] = silu(gate) * up
  kArgmax,       // logits[R, V] -> tokens[R] (u32, lowest id wins a tie), log_probs[R] (f32, of that token)
                 // (a logit that is not finite fails the replay with LOGITS_NOT_FINITE)
  // -- fused: offered by a device that gains from them (Device::offers)
  kNormQkv,        // x, gain, w_q, w_k, w_v, (bias_q, bias_k, bias_v)? -> q, k, v
  kNormGateUp,     // x, gain, w_gate, w_up -> out[R, F] = silu(gate) * up
  kNormMatMul,     // x, gain, weight -> y: the output matrix behind the last norm
  kNormArgmax,     // x, gain, weight[V, D] -> tokens, log_probs: the same and kArgmax, without writing logits
  kRopeAttention,  // q[R, H*d], k, v, cache -> out[R, H*d]: kRopeKvWrite, then kAttention; q is left
                   // undefined
};
inline constexpr int kOpCount = 12;

// "attention" for kAttention, and so on: for error messages. Never null.
const char* op_name(Op op);

// Binding slots of each op, in Command::bindings. A slot marked optional holds kNoBuffer when absent.
namespace slot {
struct Embedding {
  enum : int { kTokens, kTable, kOut };
};
struct RmsNorm {
  enum : int { kX, kGain, kOut };
};
struct MatMul {
  enum : int { kX, kWeight, kBias /*optional*/, kY };
};
struct RopeKvWrite {
  enum : int { kQ, kK, kV, kKeyCache, kValueCache, kPages };
};
struct Attention {
  enum : int { kQ, kKeyCache, kValueCache, kPages, kOut };
};
struct SwiGlu {
  enum : int { kGate, kUp, kOut };
};
struct Argmax {
  enum : int { kLogits, kTokens, kLogProbs };
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
  enum : int { kQ, kK, kV, kKeyCache, kValueCache, kPages, kOut };
};
}  // namespace slot

struct EmbeddingParams {
  std::uint32_t width;        // D
  std::uint32_t vocabulary;   // V
  std::uint32_t weight_type;  // TensorType
};

struct RmsNormParams {
  std::uint32_t width;
  float epsilon;
};

struct MatMulParams {
  std::uint32_t in;           // columns of the weight = width of x
  std::uint32_t out;          // rows of the weight = width of y
  std::uint32_t weight_type;  // TensorType
  std::uint32_t accumulate;   // 1: y += x W^T (the residual add), 0: y = x W^T
  std::uint32_t
      last_row_only;  // 1: only the batch's last row is computed, into y row 0 (the output matrix in prefill)
  std::uint32_t fine_activations = 0;  // 1: a device that quantises x does so to 16 bits, not 8
};

// The KV cache of one layer, in pages of kKvPagePositions positions. Position p lies in page
// pages[p / kKvPagePositions] (u32), whose keys begin page_stride * page bytes behind the key cache's
// binding; values likewise. The order of the elements within a page is the device's own: hosts copy whole
// pages.
inline constexpr std::uint32_t kKvPagePositions = 256;

// Bytes of a page's keys, or values, for one layer: IEEE binary16.
constexpr std::uint64_t kv_page_bytes(std::uint32_t kv_heads, std::uint32_t head_width) {
  return std::uint64_t{kKvPagePositions} * kv_heads * head_width * 2;
}
constexpr std::uint32_t kv_page_count(std::uint32_t positions) {
  return positions / kKvPagePositions + (positions % kKvPagePositions != 0 ? 1 : 0);
}

// Rotary embedding: pairs per `style`, angle(pos, i) = pos * theta^(-2i/rotary) for i < rotary/2 (even);
// elements from `rotary` on pass unchanged. k itself is left as it was.
struct RopeKvWriteParams {
  std::uint32_t position;      // patched: absolute position of the batch's row 0
  std::uint32_t query_heads;   // H
  std::uint32_t kv_heads;      // G
  std::uint32_t head_width;    // d
  std::uint32_t rotary_width;  // <= d
  std::uint32_t style;         // 0: adjacent pairs (llama as stored in GGUF), 1: halves (qwen2, neox)
  float theta;                 // RoPE base
  std::uint32_t context;       // positions the page table has room for
  std::uint32_t page_stride;   // bytes
};

struct AttentionParams {
  std::uint32_t position;   // patched: absolute position of row 0
  std::uint32_t kv_length;  // patched: entries valid after this batch = position + R
  std::uint32_t query_heads;
  std::uint32_t kv_heads;
  std::uint32_t head_width;
  float scale;  // 1 / sqrt(d)
  std::uint32_t context;
  std::uint32_t page_stride;
};

// Fields as in RopeKvWriteParams and AttentionParams.
struct RopeAttentionParams {
  std::uint32_t position;
  std::uint32_t kv_length;
  std::uint32_t query_heads;
  std::uint32_t kv_heads;
  std::uint32_t head_width;
  std::uint32_t rotary_width;
  std::uint32_t style;
  float theta;
  float scale;
  std::uint32_t context;
  std::uint32_t page_stride;
};

struct SwiGluParams {
  std::uint32_t width;  // F
};

struct ArgmaxParams {
  std::uint32_t vocabulary;
  std::uint32_t last_row_only;  // 1: only logits row 0 is looked at (what a last_row_only product wrote)
};

struct NormQkvParams {
  std::uint32_t width;  // D
  float epsilon;
  std::uint32_t q_out, kv_out;  // H*d, G*d
  std::uint32_t q_type, k_type, v_type;
  std::uint32_t fine_activations = 0;  // as MatMulParams
};

struct NormGateUpParams {
  std::uint32_t width;  // D
  float epsilon;
  std::uint32_t hidden;  // F
  std::uint32_t gate_type, up_type;
};

struct NormMatMulParams {
  std::uint32_t width;
  float epsilon;
  std::uint32_t out;
  std::uint32_t weight_type;
  std::uint32_t last_row_only;
  std::uint32_t fine_activations = 0;  // as MatMulParams
};

struct NormArgmaxParams {
  std::uint32_t width;
  float epsilon;
  std::uint32_t vocabulary;
  std::uint32_t weight_type;
  std::uint32_t fine_activations = 0;  // as MatMulParams
};

}  // namespace emberline
