// Rotary positions beyond the length that a model was first taught: how a file's scaling becomes a factor for
// each pair of a head, by which its angle is divided (RopeKvWriteParams).
//
// Sources: Chen et al. 2023 (linear: all positions closer together), Peng et al. 2023 (YaRN: only the slow
// pairs).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace emberline {

enum class RopeScalingKind : std::uint8_t { kNone, kLinear, kYarn };

struct RopeScaling {
  RopeScalingKind kind = RopeScalingKind::kNone;
  float factor = 1;  // > 0: how many times longer
  // Of YaRN: the first length in tokens; how many turns in it a pair makes that is left alone, and one that
  // is scaled wholly.
  std::uint32_t original_context = 0;
  float fast_turns = 32, slow_turns = 1;
  float attention_factor = 1;  // beside YaRN's own
};

// [rotary_width / 2]; empty where all would be 1. `given`: factors that the file lists, or empty; the scaling
// goes on top of them.
std::vector<float> rope_factors(const RopeScaling& scaling, std::span<const float> given,
                                std::uint32_t rotary_width, float theta);

// By what the scores of attention are multiplied, beside their own scale: YaRN's temperature.
float rope_attention_factor(const RopeScaling& scaling);

}  // namespace emberline
