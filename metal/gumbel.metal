#include "gumbel.h"

// Bindings and grid: gumbel.h.
kernel void gumbel(constant GumbelParams& p [[buffer(0)]], device const ChainState* chain [[buffer(1)]],
                   device const float* logits [[buffer(2)]], device const uint* tokens [[buffer(3)]],
                   constant SamplingBlock& sampling [[buffer(4)]], device float* scores [[buffer(5)]],
                   device float* normalizer [[buffer(6)]],
                   threadgroup GumbelMemory* memory [[threadgroup(0)]],
                   uint row [[threadgroup_position_in_grid]], uint index [[thread_index_in_threadgroup]],
                   uint threads [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                   uint simdgroup [[simdgroup_index_in_threadgroup]],
                   uint simdgroups [[simdgroups_per_threadgroup]]) {
  if (chain_halted(chain)) return;
  const ThreadPlace place = {index, threads, lane, simdgroup, simdgroups};
  const ulong offset = ulong(row) * p.vocabulary;
  sample_row(sampling, logits + offset, p.vocabulary, tokens, p.position + row, scores + offset,
             normalizer + row, *memory, place);
}
