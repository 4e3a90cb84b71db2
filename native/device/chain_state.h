// What a chain under way on a GPU and its host tell each other, in memory that both see. Shared by hosts and
// Metal kernels.
#pragma once

#if defined(__METAL_VERSION__)
#include <metal_stdlib>
#else
#include <cstdint>
namespace emberline {
using std::uint32_t;
#endif

// Followed by the stop set: stop_words words, bit v % 32 of word v / 32 is set when producing token v ends
// the chain.
struct ChainState {
  // The GPU's while a chain is under way.
  uint32_t halted;  // 0: it runs; 1: it produced a token of the stop set; 2: cancelled; 3: logits that are
                    // not finite
  uint32_t end;     // the first position that is not evaluated
  uint32_t stop_words;  // 0: nothing stops the chain
  uint32_t rest_of_gpu_line[29];
  // The host's, at any time: on a cache line of its own (128 bytes on Apple silicon), so that no write of the
  // GPU to the words above carries an old value of it back.
  uint32_t cancel;  // 1 asks the chain to end; read by the first command of a step alone
  uint32_t rest_of_host_line[31];
};

#if !defined(__METAL_VERSION__)
}  // namespace emberline
#endif
