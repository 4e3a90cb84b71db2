// out[R, F] = silu(gate[R, F]) * up[R, F], for prefill: one thread an element, each byte read and written
// once.
#include "chain_guard.h"
#include "op_params.h"
#include "swi_glu.h"

kernel void swi_glu(constant SwiGluParams& p [[buffer(0)]], device const ChainState* chain [[buffer(1)]],
                    device const float* gate [[buffer(2)]], device const float* up [[buffer(3)]],
                    device float* out [[buffer(4)]], uint2 at [[thread_position_in_grid]]) {
  if (chain_halted(chain) || at.x >= p.width) return;
  const ulong element = ulong(at.y) * p.width + at.x;
  out[element] = swi_glu_of(gate[element], up[element]);
}
