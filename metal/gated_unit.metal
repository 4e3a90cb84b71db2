// out[R, F] = activation(gate[R, F]) * up[R, F], for prefill: one thread an element, each byte read and
// written once.
#include "chain_guard.h"
#include "gate_activation.h"
#include "op_params.h"

kernel void gated_unit(constant GatedUnitParams& p [[buffer(0)]],
                       device const ChainState* chain [[buffer(1)]], device const float* gate [[buffer(2)]],
                       device const float* up [[buffer(3)]], device float* out [[buffer(4)]],
                       uint2 at [[thread_position_in_grid]]) {
  if (chain_halted(chain) || at.x >= p.width) return;
  const ulong element = ulong(at.y) * p.width + at.x;
  out[element] = gated(gate[element], up[element]);
}
