// The commands of a layer's attention: from the residual stream through the KV cache and back.
#pragma once

#include <cstdint>

#include "device/dispatch_table.h"
#include "model/table_writer.h"

namespace emberline {

class AttentionCommands {
 public:
  explicit AttentionCommands(TableWriter& writer)
      : to_(writer),
        h_(writer.plan().hyperparameters),
        weights_(writer.plan().weights),
        device_weights_(writer.plan().device_weights),
        s_(writer.plan().scratch),
        cache_(writer.plan().cache) {}

  // From the residual stream to the KV cache, and where that is not all, on to what attention gives.
  void write_input(std::uint32_t layer, bool only_cache);
  void write_output(const LayerWeights& layer);

 private:
  void norm_qkv_rope(std::uint32_t layer);
  void norm_qkv(const LayerWeights& layer);
  // In place.
  void norm_heads(const LayerWeights& layer);
  void qk_norm_rope(std::uint32_t layer);
  void rope_kv_write(std::uint32_t layer);
  void rope_and_attention(std::uint32_t layer);
  void attention(std::uint32_t layer);
  std::uint32_t rope_style() const;
  std::uint32_t rotary_width(std::uint32_t layer) const;
  Binding rope_factors(std::uint32_t layer) const;
  // None where the context ends before it does: more devices offer that.
  std::uint32_t window(std::uint32_t layer) const;
  // With the temperature of scaled positions, where the layer has such.
  float attention_scale(std::uint32_t layer) const;

  TableWriter& to_;
  const Hyperparameters& h_;
  const Weights& weights_;
  const DeviceWeights& device_weights_;
  const Scratch& s_;
  const KvCache& cache_;
};

}  // namespace emberline
