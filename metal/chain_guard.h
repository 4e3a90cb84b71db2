// How a chain ends by itself: the check at the front of every kernel, and what the kernels that may end a
// chain call.
//
// Only the first kernel of a step (embedding) and the last (argmax) write `halted`, and commands that depend
// on one another are separated by barriers, so every threadgroup of any other command sees the same value. A
// kernel that is told to stop has read one word of device memory, and no weights.
#pragma once

#include <metal_stdlib>

#include "chain_state.h"
#include "function_constants.h"
#include "op_params.h"

using namespace metal;

// ChainState::halted.
EMBERLINE_CONSTANT uint kHaltedByStop = 1;
EMBERLINE_CONSTANT uint kHaltedByCancel = 2;
EMBERLINE_CONSTANT uint kHaltedByLogits = 3;

// True: return at once. The same for all threads of a dispatch; the two kernels that write `halted` let one
// thread decide.
inline bool chain_halted(device const ChainState* chain) {
  return CHAINED && chain->halted != 0;
}

// What the host wrote while the chain was under way, as far as the hardware shows it: an atomic load is not
// served from a cache that the host's write does not reach.
inline bool cancel_requested(device ChainState* chain) {
  return atomic_load_explicit((device const atomic_uint*)&chain->cancel, memory_order_relaxed) != 0;
}

// Ends the chain; called by one thread. reason: kHaltedBy... end: the first position that is not evaluated.
// grids: word 0 is the number n of commands of a step, n grids of 3 words follow; used where INDIRECT alone.
inline void halt_chain(device ChainState* chain, uint reason, uint end, device uint* grids) {
  chain->halted = reason;
  chain->end = end;
  if (INDIRECT) {
    const uint words = 3 * grids[0];
    for (uint i = 0; i < words; ++i) grids[1 + i] = 0;
  }
}
