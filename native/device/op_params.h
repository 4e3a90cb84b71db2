// The parameter block of each op (ops.h), shared by hosts and Metal kernels: plain 32-bit fields, whose bytes
// a GPU host passes on unchanged. Shapes as in ops.h.
#pragma once

#if defined(__METAL_VERSION__)
#include <metal_stdlib>
#define EMBERLINE_CONSTANT constant constexpr
#else
#include <cstdint>
#define EMBERLINE_CONSTANT inline constexpr
namespace emberline {
using std::int32_t, std::uint32_t;
#endif

struct EmbeddingParams {
  uint32_t width;         // D
  uint32_t vocabulary;    // V
  uint32_t weight_type;   // TensorType
  uint32_t position = 0;  // patched: of row 0; row r reads tokens[position + r]
  float scale = 1.0f;     // of every element
};

struct RmsNormParams {
  uint32_t width;  // of a part
  float epsilon;
  uint32_t parts = 1;       // of a row, one behind the other, each normed by itself: heads
  uint32_t accumulate = 0;  // 1: out = the addend, or out itself where none is bound, + the normed row
  uint32_t centered = 0;    // 1: the part's mean is taken off first: LayerNorm (Ba et al. 2016)
};

struct MatMulParams {
  uint32_t in;           // columns of the weight = width of x
  uint32_t out;          // rows of the weight = width of y
  uint32_t weight_type;  // TensorType
  uint32_t accumulate;   // 1: y += x W^T (the residual add), 0: y = x W^T
  uint32_t
      last_row_only;  // 1: only the batch's last row is computed, into y row 0 (the output matrix in prefill)
  uint32_t fine_activations = 0;  // 1: a device that quantises x does so to 16 bits, not 8
};

// The KV cache of one layer, in pages of kKvPagePositions positions. Position p lies in page
// pages[p / kKvPagePositions] (u32), whose keys begin page_stride * page bytes behind the key cache's
// binding; values likewise. The order of the elements within a page is the device's own: hosts copy whole
// pages.
EMBERLINE_CONSTANT uint32_t kKvPagePositions = 256;

// How the cache keeps a key, or a value, of one head.
EMBERLINE_CONSTANT uint32_t kKvF16 = 0;  // IEEE binary16
// Blocks of kKvBlockElements neighbouring elements, the last of a head maybe shorter: an element is an int8
// times the block's scale, which is the largest magnitude / 127 as binary16, rounded up, so that an element
// is off by half a scale at most. The blocks of llama.cpp's Q8_0, in an order of the device's own.
EMBERLINE_CONSTANT uint32_t kKvQ8_0 = 1;
EMBERLINE_CONSTANT uint32_t kKvTypes = 2;
EMBERLINE_CONSTANT uint32_t kKvBlockElements = 32;

// Rotary embedding: pairs per `style`, angle(pos, i) = pos * theta^(-2i/rotary) for i < rotary/2 (even);
// elements from `rotary` on pass unchanged, all of them where it is 0. Where factors are bound, the angle of
// pair i is divided by factors[i]: positions that are scaled. k itself is left as it was.
struct RopeKvWriteParams {
  uint32_t position;             // patched: absolute position of the batch's row 0
  uint32_t query_heads;          // H
  uint32_t kv_heads;             // G
  uint32_t head_width;           // d
  uint32_t rotary_width;         // <= d
  uint32_t style;                // 0: adjacent pairs (llama as stored in GGUF), 1: halves (qwen2, neox)
  float theta;                   // RoPE base
  uint32_t context;              // positions the page table has room for
  uint32_t page_stride;          // bytes
  uint32_t cache_type = kKvF16;  // kKv...
};

struct AttentionParams {
  uint32_t position;  // patched: absolute position of row 0
  uint32_t query_heads;
  uint32_t kv_heads;
  uint32_t head_width;
  float scale;  // 1 / sqrt(d)
  uint32_t context;
  uint32_t page_stride;
  // Entries that a row sees, the last of them its own (Beltagy et al. 2020, sliding window); 0: all.
  uint32_t window = 0;
  float soft_cap = 0.0f;  // c > 0: a scaled score s counts as c * tanh(s / c) (Gemma 2, 2024); 0: as it is
  uint32_t cache_type = kKvF16;
};

// Fields as in RopeKvWriteParams and AttentionParams.
struct RopeAttentionParams {
  uint32_t position;
  uint32_t query_heads;
  uint32_t kv_heads;
  uint32_t head_width;
  uint32_t rotary_width;
  uint32_t style;
  float theta;
  float scale;
  uint32_t context;
  uint32_t page_stride;
  uint32_t window = 0;
  float soft_cap = 0.0f;
  uint32_t cache_type = kKvF16;
};

// What a gated linear unit does to its gate, which then multiplies `up` (Shazeer, "GLU variants improve
// transformer", 2020).
EMBERLINE_CONSTANT uint32_t kGateSilu = 0;      // z / (1 + exp(-z)): SwiGLU
EMBERLINE_CONSTANT uint32_t kGateGeluTanh = 1;  // z/2 (1 + tanh(sqrt(2/pi) (z + 0.044715 z^3))): GeGLU
EMBERLINE_CONSTANT uint32_t kGateActivations = 2;

struct GatedUnitParams {
  uint32_t width;                   // F
  uint32_t activation = kGateSilu;  // kGate...
};

struct ArgmaxParams {
  uint32_t vocabulary;
  uint32_t last_row_only;  // 1: only logits row 0 is looked at (what a last_row_only product wrote)
  uint32_t position = 0;   // patched: of row 0; row r writes tokens and log_probs[position + r + 1]
};

struct SoftCapParams {
  uint32_t width;
  float cap;               // > 0
  uint32_t last_row_only;  // 1: only row 0 (what a last_row_only product wrote)
};

// What a request wants of the sampler (sampling/sampling_params.h has the law): in a buffer, since it changes
// from request to request.
struct SamplingBlock {
  float temperature;  // > 0
  float top_p;
  float min_p;
  float repeat_penalty;
  int32_t top_k;
  uint32_t penalty_window;
  uint32_t seed_low, seed_high;
};

struct GumbelParams {
  uint32_t vocabulary;
  uint32_t position = 0;  // patched: the token to be chosen comes to stand at position + 1
};

struct NormQkvParams {
  uint32_t width;  // D
  float epsilon;
  uint32_t q_out, kv_out;  // H*d, G*d
  uint32_t q_type, k_type, v_type;
  uint32_t fine_activations = 0;  // as MatMulParams
};

struct NormGateUpParams {
  uint32_t width;  // D
  float epsilon;
  uint32_t hidden;  // F
  uint32_t gate_type, up_type;
  uint32_t activation = kGateSilu;  // as GatedUnitParams
};

struct NormMatMulParams {
  uint32_t width;
  float epsilon;
  uint32_t out;
  uint32_t weight_type;
  uint32_t last_row_only;
  uint32_t fine_activations = 0;  // as MatMulParams
};

struct NormArgmaxParams {
  uint32_t width;
  float epsilon;
  uint32_t vocabulary;
  uint32_t weight_type;
  uint32_t fine_activations = 0;  // as MatMulParams
  uint32_t position = 0;          // patched, as ArgmaxParams
};

// norm, query, key and value, rotary embedding and KV write in one, into a cache of kKvF16: fields as in
// NormQkvParams and RopeKvWriteParams.
struct NormQkvRopeParams {
  uint32_t width;
  float epsilon;
  uint32_t q_type, k_type, v_type;
  uint32_t position;  // patched
  uint32_t query_heads;
  uint32_t kv_heads;
  uint32_t head_width;
  uint32_t rotary_width;
  uint32_t style;
  float theta;
  uint32_t context;
  uint32_t page_stride;
};

// Fields as in RopeKvWriteParams.
struct QkNormRopeParams {
  uint32_t position;  // patched
  uint32_t query_heads;
  uint32_t kv_heads;
  uint32_t head_width;
  uint32_t rotary_width;
  uint32_t style;
  float theta;
  uint32_t context;
  uint32_t page_stride;
  float epsilon;
  uint32_t query_part, key_part;  // elements that are normed together: of a head, or of several heads
};

// Both norms have the same epsilon.
struct AddNormQkvParams {
  NormQkvParams norm;
};
struct AddNormGateUpParams {
  NormGateUpParams norm;
};

// What the outputs of a row's k experts are multiplied by, of the router's logits (Shazeer et al.,
// "Outrageously large neural networks", 2017).
EMBERLINE_CONSTANT uint32_t kSoftmaxOfChosen = 0;  // their softmax over the k: weights with a sum of 1
EMBERLINE_CONSTANT uint32_t kSoftmaxOfAll = 1;     // their softmax over all experts
EMBERLINE_CONSTANT uint32_t kExpertWeightings = 2;

struct ExpertsParams {
  uint32_t width;    // D
  uint32_t hidden;   // F, of one expert
  uint32_t experts;  // E
  uint32_t used;     // k <= E; of two equal logits the one with the lower index is likelier
  uint32_t gate_type, up_type, down_type;
  uint32_t activation = kGateSilu;        // as GatedUnitParams
  uint32_t weighting = kSoftmaxOfChosen;  // kSoftmaxOf...
  float scale = 1.0f;                     // of every weight
};

#if !defined(__METAL_VERSION__)
}  // namespace emberline
#endif
