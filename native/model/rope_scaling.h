// Rotary positions beyond the length that a model was first taught: how a file's scaling becomes a factor for
// each pair of a head, by which its angle is divided (RopeKvWriteParams).
//
// Sources: Chen et al. 2023 (linear: all positions closer together), Peng et al. 2023 (YaRN: only the slow
// pairs), Ding et al. 2024 (LongRoPE, arXiv:2402.13753: factors that were searched for, which the file lists;
// as Phi 3 has it, others for contexts beyond the first length than within it).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace emberline {

enum class RopeScalingKind : std::uint8_t { kNone, kLinear, kYarn, kLongRope };

struct RopeScaling {
  RopeScalingKind kind = RopeScalingKind::kNone;
  float factor = 1;  // > 0: how many times longer
  // Of YaRN and LongRoPE: the first length in tokens. Of YaRN: how many turns in it a pair makes that is left
  // alone, and one that is scaled wholly.
  std::uint32_t original_context = 0;
  float fast_turns = 32, slow_turns = 1;
  // By what queries and keys are multiplied: beside YaRN's own; of LongRoPE all of it.
  float attention_factor = 1;
};

// [rotary_width / 2]; empty where all would be 1. `given`: factors that the file lists, or empty; the scaling
// goes on top of them, where it is a formula.
std::vector<float> rope_factors(const RopeScaling& scaling, std::span<const float> given,
                                std::uint32_t rotary_width, float theta);

// By what LongRoPE multiplies queries and keys where the file does not say: sqrt(1 + ln(s) / ln(first
// length)), s being how many times longer `context` is; 1 where it is no longer. `original_context` >= 2.
double long_rope_attention_factor(std::uint32_t context, std::uint32_t original_context);

// By what the scores of attention are multiplied, beside their own scale: the temperature of YaRN and
// LongRoPE.
float rope_attention_factor(const RopeScaling& scaling);

}  // namespace emberline
