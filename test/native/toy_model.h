// Small models with random weights, as GGUF files: the same shape of thing as a real one, a few kilobytes
// large.
//
// The vocabulary has all 256 bytes, a few words and indentations with the merges that make them, and control
// tokens, so that healing and stop handling meet every case a real tokenizer has.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gguf/tensor_type.h"
#include "gguf_writer.h"

namespace emberline::testing {

struct ToyModel {
  std::string architecture = "llama";
  std::uint32_t layers = 2;
  std::uint32_t width = 64;
  std::uint32_t hidden = 96;
  std::uint32_t heads = 4;
  std::uint32_t kv_heads = 2;
  std::uint32_t head_width = 16;
  std::uint32_t context = 256;
  float rope_theta = 10000.0f;
  TensorType type = TensorType::kF32;         // of the matrices
  TensorType output_type = TensorType::kF32;  // of the embedding and the output matrix
  std::optional<TensorType> mixed_type;       // of values and the down matrix in every other layer, from 0
  bool written_out = false;                   // all in F32, with the values that those types stand for
  bool tied = true;                           // no output.weight
  bool biases = false;                        // on the query, key and value projections
  bool head_norms = false;                    // of queries and keys
  bool post_norms = false;                    // olmo2's places and extents of norms
  bool norms_on_both_sides = false;           // gemma2's norms behind, beside those in front
  bool layer_norms = false;  // starcoder2's: norms with biases, no gate, and all other biases
  bool fused = false;        // phi3's tensors of several matrices
  std::uint32_t experts = 0, experts_used = 0;  // in the place of the feed-forward part
  std::uint32_t expert_hidden = 0;              // 0: `hidden`
  std::uint32_t shared_hidden = 0;              // of an expert that all tokens use; 0: there is none
  float expert_scale = 2.0f;                    // of experts' matrices; 1: as loud as a dense layer's
  bool wide_norms = false;                      // olmoe's extents of the norms of queries and keys
  std::vector<float> rope_factors;              // [head_width / 2]; empty: none
  std::vector<float> long_rope_factors;         // the same; not empty: the others are for short contexts
  bool end_tokens = true;                       // control tokens in the vocabulary
  bool adds_bos = false;                        // in front of a prompt
  std::uint32_t padding_rows = 0;               // embeddings beyond the tokenizer's list
  float output_scale = 1.0f;                    // larger: more certain
  float output_gain = 1.0f;                     // of the last norm, about which it varies
  float score_scale = 2.0f;                     // of query and key matrices; 1: scores deviate by about 1
  std::uint64_t seed = 1;

  // Adds to `writer` after everything else, for files that are wrong in one way: keys may be added, tensors
  // too.
  std::function<void(GgufWriter&)> also;
  // Skips these keys and tensors.
  std::vector<std::string> without;
  // Replaces a metadata number.
  std::map<std::string, std::uint32_t> numbers;
  // Replaces a tensor's stated shape or type; the data stays.
  std::map<std::string, std::vector<std::uint64_t>> shapes;
  std::map<std::string, std::uint32_t> types;

  // Token lists; ids of the words follow the 256 bytes.
  std::vector<std::string> token_bytes() const;  // normal tokens only, raw bytes
  std::uint32_t end_token() const;               // id of "<|end|>"
  std::uint32_t vocabulary() const;              // tokens and padding rows
  std::uint32_t rotary_width() const { return head_width; }

  GgufWriter writer() const;
  std::vector<std::uint8_t> bytes() const { return writer().bytes(); }
};

}  // namespace emberline::testing
