// The commands of a layer's feed-forward part: a gated unit, one without a gate, or a mixture of experts.
#pragma once

#include "device/dispatch_table.h"
#include "model/table_writer.h"

namespace emberline {

class FeedForwardCommands {
 public:
  explicit FeedForwardCommands(TableWriter& writer)
      : to_(writer), h_(writer.plan().hyperparameters), s_(writer.plan().scratch) {}

  void write(const LayerWeights& layer);

 private:
  // Norms are in front wherever there are experts.
  void experts(const LayerWeights& layer);
  // The shared expert reads what the others have read: the norm of the stream before them.
  void shared_expert(const LayerWeights& layer);
  void unit(const LayerWeights& layer, Binding x);
  void norm_gate_up(const LayerWeights& layer);

  TableWriter& to_;
  const Hyperparameters& h_;
  const Scratch& s_;
};

}  // namespace emberline
