// tokens[position + r], table[V, D] -> out[R, D]: a threadgroup a row, a thread a block of
// the table's row, whose every byte is read once. It is the first command of a step and the only one that
// looks at the host's cancel flag, so that all commands of a step agree.
//
// A chain has one row, so its only threadgroup decides for the whole step. The host has checked every token
// that it wrote; argmax writes no others.
#include "block_formats.h"
#include "chain_guard.h"
#include "launch_shapes.h"

template <typename Format>
inline void write_unit(thread const WeightUnit& unit, uint u, uint width, device float* to) {
#pragma unroll
  for (uint v = 0; v < Format::kVectors; ++v) {
    const float4 values = weights_of<Format>(unit, v);
    const uint column = Format::column(u, v);
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
      if (column + i < width) to[column + i] = values[i];
    }
  }
}

template <typename Format>
inline void embed(constant EmbeddingParams& p, device const uint* tokens, device const uchar* table,
                  device float* out, uint row, uint thread_index) {
  device const uchar* weights = table + tokens[p.position + row] * Format::row_bytes(p.width);
  device float* to = out + ulong(row) * p.width;
  const uint units = (p.width + Format::kUnit - 1) / Format::kUnit;
  const uint units_each = Format::kHeader ? 2 : 1;  // a block, whose header is read once
  for (uint u = thread_index * units_each; u < units; u += kRowKernelThreads * units_each) {
    const uint header = Format::header(weights, u);
    for (uint i = 0; i < units_each; ++i) {
      WeightUnit unit;
      Format::decode(Format::fetch(weights, u + i, p.width), header, unit);
      write_unit<Format>(unit, u + i, p.width, to);
    }
  }
}

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

#define EMBERLINE_EMBEDDING(suffix, ...)                                                               \
  kernel void embedding_##suffix(                                                                      \
      constant EmbeddingParams& p [[buffer(0)]], device ChainState* chain [[buffer(1)]],               \
      device const uint* tokens [[buffer(2)]], device const uchar* table [[buffer(3)]],                \
      device float* out [[buffer(4)]], device uint* grids [[buffer(30), function_constant(INDIRECT)]], \
      uint row [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]]) {  \
    threadgroup bool begins;                                                                           \
    if (CHAINED && !step_begins(chain, p.position, grids, begins, thread_index)) return;               \
    embed<__VA_ARGS__>(p, tokens, table, out, row, thread_index);                                      \
  }

EMBERLINE_FOR_EACH_FORMAT(EMBERLINE_EMBEDDING)
