// The numbers that fix the shape of a model's forward pass, read from GGUF metadata and checked.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "model/architecture.h"
#include "model/rope_scaling.h"

namespace emberline {

class GgufFile;

// Of granite (Granite 3, 2024; after Yang et al. 2022): what is multiplied on its way through the model.
struct Multipliers {
  float embedding = 1;
  float residual = 1;       // what a layer's attention and feed-forward add to the stream
  float attention = 0;      // the scores', in the place of 1 / sqrt(d); 0: that
  float logit_divisor = 1;  // the logits are divided by it
};

// A mixture of experts in the place of each layer's feed-forward part.
struct Experts {
  std::uint32_t count = 0;   // E; 0: there are none
  std::uint32_t used = 0;    // k <= E, of a token
  std::uint32_t hidden = 0;  // F of one
  bool shared = false;       // beside them one that every token uses, Hyperparameters::hidden wide
  float scale = 1;           // of what their outputs are multiplied by
};

// Of LongRoPE: the tensor that lists the factors of contexts beyond the first length.
inline constexpr std::string_view kLongRopeFactors = "rope_factors_long.weight";

// What a layer's attention does with positions.
struct LayerPositions {
  bool rotated = true;
  bool scaled = true;  // by the model's RopeScaling and listed factors
  float rope_theta = 0;
  std::uint32_t window = 0;  // it sees so many positions, the last its own; 0: all
};

// Invariants: kv_heads divides query_heads; head_width and rotary_width are even; rotary_width <= head_width;
// every extent is at least 1 and small enough that products of two fit 64 bits with room to spare.
struct Hyperparameters {
  const Architecture* architecture = nullptr;
  std::uint32_t layers = 0;
  std::uint32_t width = 0;        // D
  std::uint32_t hidden = 0;       // F, the feed-forward width; of experts, the shared one's
  std::uint32_t query_heads = 0;  // H
  std::uint32_t kv_heads = 0;     // G
  std::uint32_t head_width = 0;   // d
  std::uint32_t rotary_width = 0;
  std::uint32_t vocabulary = 0;      // V
  std::uint32_t context_length = 0;  // tokens the model was trained with, or sees at once
  float rope_theta = 0;
  RopeScaling rope_scaling;
  std::uint32_t window = 0;            // of local layers; 0: no layer is local
  std::uint32_t global_every = 0;      // as LocalLayers
  float local_rope_theta = 0;          // as LocalLayers
  float score_cap = 0, logit_cap = 0;  // 0: none
  Multipliers multipliers;
  Experts experts;
  float norm_epsilon = 0;
  // The architecture's, unless `emberline.rope.pairs` is "halves": rows of queries and keys as Hugging Face
  // has them.
  RopeStyle rope_style = RopeStyle::kAdjacent;

  // `layer` < layers.
  LayerPositions positions(std::uint32_t layer) const;
  // What scores are multiplied by, temperature of scaled positions aside.
  float score_scale() const;

  std::uint32_t query_width() const { return query_heads * head_width; }
  std::uint32_t kv_width() const { return kv_heads * head_width; }
};

// MODEL_METADATA_MISSING, MODEL_METADATA_INVALID, MODEL_TENSOR_MISSING (no token embedding to take the
// vocabulary from), MODEL_ARCHITECTURE_UNSUPPORTED (an unknown family, or a variant of a known one).
Result<Hyperparameters> read_hyperparameters(const GgufFile& file);

}  // namespace emberline
