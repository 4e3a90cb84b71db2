// What tells one model family from another where they share one forward pass.
//
// Every family here is the llama block: norm, grouped-query attention with rotary positions, norm,
// feed-forward part, most often a gated unit. A descriptor states the few points in which a family differs,
// the places of the norms among them; a family that differs elsewhere is not listed.
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
  kBoth,    // gemma2
};

// What is normed before its elements are multiplied by gains.
enum class NormKind : std::uint8_t {
  kRms,    // the elements by their root mean square (Zhang and Sennrich 2019)
  kLayer,  // by their deviation from the mean, with biases behind the gains (Ba et al. 2016): starcoder2
};

// Layers whose attention looks through the sliding window, where the file says how long that is.
struct LocalLayers {
  // The last of so many layers sees everything; 0: none does, unless there is no window at all.
  std::uint32_t global_every = 0;
  // `attention.sliding_window` where the file lacks it; 0: there is none then.
  std::uint32_t window = 0;
  // The base of their positions where the file does not say it, and no scaling; 0: as in all layers.
  float rope_theta = 0;
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
  NormKind norm_kind = NormKind::kRms;
  bool gated = true;         // else the feed-forward part has no gate, but the activation of up
  bool wide_stream = false;  // embeddings are scaled by the square root of the width: gemma
  LocalLayers local = {};
  // The last of so many layers has no rotary positions (Yang et al. 2025, NoPE); 0: all have them.
  std::uint32_t unrotated_every = 0;
  // What soft caps are where the file does not say it: of attention's scores and of logits; 0: none.
  float score_cap = 0, logit_cap = 0;
  // With so many layers scores are scaled by 1 / sqrt(width / heads), which the file does not say: the
  // largest of gemma2 and gemma3.
  std::uint32_t layers_scaled_by_width = 0;
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
