// x[R, N] = cap * tanh(x / cap), in place: the logits of models that cap them. One thread an element, each
// read and written once. Grid: x = ceil(width / threads), y = rows (launch_shapes.h).
#include "chain_guard.h"
#include "op_params.h"
#include "soft_capping.h"

kernel void soft_cap(constant SoftCapParams& p [[buffer(0)]], device const ChainState* chain [[buffer(1)]],
                     device float* x [[buffer(2)]], uint2 at [[thread_position_in_grid]]) {
  if (chain_halted(chain) || at.x >= p.width) return;
  device float* element = x + ulong(at.y) * p.width + at.x;
  *element = soft_capped(*element, p.cap);
}
