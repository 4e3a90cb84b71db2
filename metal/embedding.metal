// tokens[position + r], table[V, D] -> out[R, D]: a threadgroup a row, a thread a unit of
// the table's row, whose every byte is read once; times the model's scale. It is the first command of a step
// and the only one that looks at the host's cancel flag, so that all commands of a step agree.
//
// A chain has one row, so its only threadgroup decides for the whole step. The host has checked every token
// that it wrote; argmax writes no others.
#include "block_headers.h"
#include "chain_guard.h"
#include "launch_shapes.h"

// Begins a step of a chain; called by all threads. False where the chain has ended, or ends here because the
// host asked for it.
inline bool step_begins(device ChainState* chain, uint position, device uint* grids, threadgroup bool& begins,
                        uint thread_index) {
  if (thread_index == 0) {
    begins = chain->halted == 0;
    if (begins && cancel_requested(chain)) {
      halt_chain(chain, kHaltedByCancel, position, grids);
      begins = false;
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return begins;
}

template <typename Format>
inline void write_unit(thread const WeightUnit& unit, uint u, uint width, float scale, device float* to) {
#pragma unroll
  for (uint v = 0; v < Format::kVectors; ++v) {
    const float4 values = weights_of<Format>(unit, v, v * Format::kParts / Format::kVectors) * scale;
    const uint column = Format::column(u, v);
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
      if (column + i < width) to[column + i] = values[i];
    }
  }
}

// All threads of a simdgroup go on together, since the lanes of a block hand its header on.
template <typename Format>
inline void embed(constant EmbeddingParams& p, device const uint* tokens, device const uchar* table,
                  device float* out, threadgroup float* codes, uint row, uint thread_index, uint lane) {
  device const uchar* weights = table + tokens[p.position + row] * Format::row_bytes(p.width);
  device float* to = out + ulong(row) * p.width;
  stage_codes<Format>(codes, thread_index);
  if (Format::kCoded) threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint units = (p.width + Format::kUnit - 1) / Format::kUnit;
  for (uint first = 0; first < units; first += kRowKernelThreads) {
    const uint u = first + thread_index;
    const bool inside = u < units;
    OwnWords own;
    own.header = own.bits = 0;
    if (Format::kHeader && inside && u % 2 == 0) own = Format::fetch_own(weights, u);
    // As row a of a pair that has no other.
    const PairHeaders headers = exchange_headers<Format>(own, u, lane);
    if (!inside) continue;
    WeightUnit unit;
    Format::decode(Format::fetch(weights, u, p.width), headers.a, headers.bits_a, u, codes, unit);
    write_unit<Format>(unit, u, p.width, p.scale, to);
  }
}

#define EMBERLINE_EMBEDDING(suffix, ...)                                                               \
  kernel void embedding_##suffix(                                                                      \
      constant EmbeddingParams& p [[buffer(0)]], device ChainState* chain [[buffer(1)]],               \
      device const uint* tokens [[buffer(2)]], device const uchar* table [[buffer(3)]],                \
      device float* out [[buffer(4)]], device uint* grids [[buffer(30), function_constant(INDIRECT)]], \
      uint row [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],    \
      uint lane [[thread_index_in_simdgroup]]) {                                                       \
    threadgroup bool begins;                                                                           \
    threadgroup float codes[kCodes];                                                                   \
    if (CHAINED && !step_begins(chain, p.position, grids, begins, thread_index)) return;               \
    embed<__VA_ARGS__>(p, tokens, table, out, codes, row, thread_index, lane);                         \
  }

EMBERLINE_FOR_EACH_FORMAT(EMBERLINE_EMBEDDING)
