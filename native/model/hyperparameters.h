// The numbers that fix the shape of a model's forward pass, read from GGUF metadata and checked.
#pragma once

#include <cstdint>

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

// Invariants: kv_heads divides query_heads; head_width and rotary_width are even; rotary_width <= head_width;
// every extent is at least 1 and small enough that products of two fit 64 bits with room to spare.
struct Hyperparameters {
  const Architecture* architecture = nullptr;
  std::uint32_t layers = 0;
  std::uint32_t width = 0;        // D
  std::uint32_t hidden = 0;       // F, the feed-forward width
  std::uint32_t query_heads = 0;  // H
  std::uint32_t kv_heads = 0;     // G
  std::uint32_t head_width = 0;   // d
  std::uint32_t rotary_width = 0;
  std::uint32_t vocabulary = 0;      // V
  std::uint32_t context_length = 0;  // tokens the model was trained with, or sees at once
  float rope_theta = 0;
  RopeScaling rope_scaling;
  Multipliers multipliers;
  float norm_epsilon = 0;
  // The architecture's, unless `emberline.rope.pairs` is "halves": rows of queries and keys as Hugging Face
  // has them.
  RopeStyle rope_style = RopeStyle::kAdjacent;

  std::uint32_t query_width() const { return query_heads * head_width; }
  std::uint32_t kv_width() const { return kv_heads * head_width; }
};

// MODEL_METADATA_MISSING, MODEL_METADATA_INVALID, MODEL_TENSOR_MISSING (no token embedding to take the
// vocabulary from), MODEL_ARCHITECTURE_UNSUPPORTED (an unknown family, or a variant of a known one such as
// experts).
Result<Hyperparameters> read_hyperparameters(const GgufFile& file);

}  // namespace emberline
