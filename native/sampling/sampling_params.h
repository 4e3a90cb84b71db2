// What a caller can set about how the next token is drawn, and which values turn a stage off.
#pragma once

#include <cstdint>

namespace emberline {

// By which random numbers a token is drawn; the law is the same.
enum class DrawBy {
  kCumulativeMass,  // one uniform number a position (random.h), looked up in the cumulative distribution
  kGumbelNoise,     // noise for each token (gumbel_noise.h), and the argmax: as a GPU draws
};

// The law, in this order: z' = penalised / temperature; p = softmax(z') over the whole vocabulary; top-k
// (ties: lower id first); min-p against the largest p; top-p = the shortest prefix by (p descending, id
// ascending) whose full-softmax mass reaches top_p, or all; renormalise; draw. Where a filter ends is decided
// in the integers of softmax_mass.h, the same on every device.
struct SamplingParams {
  float temperature = 0.0f;     // <= 0: argmax, lowest id wins a tie, nothing below applies but the penalty
  std::int32_t top_k = 0;       // <= 0: off
  float top_p = 1.0f;           // >= 1: off; 0 keeps one token
  float min_p = 0.0f;           // <= 0: off; > 1 keeps one token
  float repeat_penalty = 1.0f;  // 1: off. Once per distinct token: z > 0 ? z / penalty : z * penalty
  std::uint32_t penalty_window = 64;  // distinct tokens among this many last ones (prompt and generated)
  std::uint64_t seed = 0;             // with a token's position, the counter of its random number
  DrawBy draw_by = DrawBy::kCumulativeMass;

  bool greedy() const { return temperature <= 0.0f; }
};

}  // namespace emberline
