// What tells one model family from another where they share one forward pass.
//
// Every family here is the llama block: norm, grouped-query attention with rotary positions, norm, gated
// unit. A descriptor states the few points in which a family differs, the places of the norms among them; a
// family that differs elsewhere is not listed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "device/op_params.h"

namespace emberline {

// How rotary embedding pairs the elements of a head. Values are RopeKvWriteParams::style.
enum class RopeStyle : std::uint32_t {
  kAdjacent = 0,  // (0, 1), (2, 3), ...: llama's weights as GGUF stores them
  kHalves = 1,    // (0, d/2), (1, d/2 + 1), ...: qwen, neox
};

// What is normed of queries and keys before they are rotated, by gains of its extent.
enum class QueryKeyNorm : std::uint8_t {
  kNone,
  kHead,  // each head by itself: qwen3
  kAll,   // all heads together: olmo2
};

// Where the norms of a layer stand.
enum class NormPlace : std::uint8_t {
  kBefore,  // in front of attention and of the feed-forward part
  kBehind,  // behind each, on what is added to the residual stream: olmo2
};

// Whether a family's feed-forward parts are mixtures of experts.
enum class ExpertUse : std::uint8_t {
  kNone,
  kOptional,  // where the file says how many there are: llama's are Mixtral
  kAlways,
};

// The defaults are llama's.
struct Architecture {
  std::string_view name;  // `general.architecture`, and the prefix of the family's metadata keys
  RopeStyle rope_style = RopeStyle::kAdjacent;
  bool needs_qkv_bias =
      false;  // biases on the query, key and value projections must be there; elsewhere they may be
  std::uint32_t gate_activation = kGateSilu;  // GatedUnitParams::activation
  QueryKeyNorm query_key_norm = QueryKeyNorm::kNone;
  NormPlace norm_place = NormPlace::kBefore;
  bool fused_matrices = false;   // query, key and value in one tensor, gate and up in another: phi3
  bool has_multipliers = false;  // Multipliers of hyperparameters.h, from the metadata: granite
  ExpertUse experts = ExpertUse::kNone;
  std::uint32_t expert_weighting = kSoftmaxOfChosen;  // ExpertsParams::weighting
};

// Null when the engine does not run the family.
const Architecture* find_architecture(std::string_view name);

// "llama, qwen2, ...": for error messages.
std::string supported_architectures();

}  // namespace emberline
