#include "argmax.h"

// Bindings and grid: argmax.h.
kernel void argmax(constant ArgmaxParams& p [[buffer(0)]], device ChainState* chain [[buffer(1)]],
                   device const float* logits [[buffer(2)]], device uint* tokens [[buffer(3)]],
                   device float* log_probs [[buffer(4)]],
                   device const float* raw_logits [[buffer(5), function_constant(HAS_RAW_LOGITS)]],
                   device const float* normalizer [[buffer(6), function_constant(HAS_RAW_LOGITS)]],
                   device uint* grids [[buffer(30), function_constant(INDIRECT)]],
                   uint row [[threadgroup_position_in_grid]], uint index [[thread_index_in_threadgroup]],
                   uint threads [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                   uint simdgroup [[simdgroup_index_in_threadgroup]],
                   uint simdgroups [[simdgroups_per_threadgroup]]) {
  threadgroup LogitPartials partials;
  if (chain_halted(chain)) return;
  const ThreadPlace place = {index, threads, lane, simdgroup, simdgroups};
  argmax_row(p, chain, logits, tokens, log_probs, raw_logits, normalizer, grids, partials, row, place);
}
