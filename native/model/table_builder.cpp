#include "model/table_builder.h"

#include <string>
#include <utility>

#include "model/attention_commands.h"
#include "model/feed_forward_commands.h"
#include "model/hyperparameters.h"
#include "model/scratch.h"
#include "model/table_writer.h"
#include "model/token_history.h"
#include "model/weights.h"

namespace emberline {

namespace {

class TableBuilder {
 public:
  TableBuilder(const TablePlan& plan, std::uint32_t max_rows)
      : to_(plan, max_rows),
        h_(plan.hyperparameters),
        weights_(plan.weights),
        s_(plan.scratch),
        history_(plan.history) {}

  DispatchTable build(TableEnd end) && {
    embedding();
    AttentionCommands attention(to_);
    FeedForwardCommands feed_forward(to_);
    for (std::uint32_t layer = 0; layer < h_.layers; ++layer) {
      to_.set_prefix("layer " + std::to_string(layer) + " ");
      const bool last = layer + 1 == h_.layers;
      // Nothing reads what the last layer would add to the residual stream when no logits are asked for.
      const bool only_cache = last && end == TableEnd::kKeysAndValues;
      attention.write_input(layer, only_cache);
      if (only_cache) break;
      attention.write_output(weights_.layers[layer]);
      feed_forward.write(weights_.layers[layer]);
    }
    to_.add_waiting();
    to_.set_prefix({});
    const bool plain_logits = to_.has_rms_norms() && h_.logit_cap == 0.0f;
    if (end == TableEnd::kArgmax && plain_logits && to_.offers(Op::kNormArgmax)) {
      norm_argmax();
    } else if (end != TableEnd::kKeysAndValues) {
      output(end == TableEnd::kLastRowLogits);
      if (h_.logit_cap != 0.0f) cap_logits(end == TableEnd::kLastRowLogits);
      if (end == TableEnd::kArgmax) argmax({.scores = s_.logits.at()});
      if (end == TableEnd::kSample) sample();
    }
    return std::move(to_).take();
  }

 private:
  void embedding() {
    to_.add(Op::kEmbedding, "embedding",
            {{slot::Embedding::kTokens, history_.tokens()},
             {slot::Embedding::kTable, to_.weight(weights_.token_embedding)},
             {slot::Embedding::kOut, to_.residual()}},
            EmbeddingParams{.width = h_.width,
                            .vocabulary = h_.vocabulary,
                            .weight_type = id(weights_.token_embedding.type),
                            .scale = h_.multipliers.embedding / h_.multipliers.residual},
            Patch::kTokenOffset);
  }

  void output(bool last_row_only) {
    if (to_.has_rms_norms() && to_.offers(Op::kNormMatMul)) {
      to_.add(Op::kNormMatMul, "norm+output matrix",
              {{slot::NormMatMul::kX, to_.residual()},
               {slot::NormMatMul::kGain, to_.weight(weights_.output_norm)},
               {slot::NormMatMul::kWeight, to_.weight(weights_.output)},
               {slot::NormMatMul::kY, s_.logits.at()}},
              NormMatMulParams{.width = h_.width,
                               .epsilon = to_.stream_epsilon(),
                               .out = h_.vocabulary,
                               .weight_type = id(weights_.output.type),
                               .last_row_only = last_row_only,
                               .fine_activations = kFine});
      return;
    }
    to_.norm("output norm", weights_.output_norm, weights_.output_norm_bias);
    to_.mat_mul("output matrix", {.x = s_.normed.at(),
                                  .in = h_.width,
                                  .weight = weights_.output,
                                  .y = s_.logits.at(),
                                  .out = h_.vocabulary,
                                  .fine_activations = kFine,
                                  .last_row_only = last_row_only});
  }

  void cap_logits(bool last_row_only) {
    to_.add(Op::kSoftCap, "soft cap", {{slot::SoftCap::kX, s_.logits.at()}},
            SoftCapParams{.width = h_.vocabulary, .cap = h_.logit_cap, .last_row_only = last_row_only});
  }

  void norm_argmax() {
    to_.add(Op::kNormArgmax, "norm+output matrix+argmax",
            {{slot::NormArgmax::kX, to_.residual()},
             {slot::NormArgmax::kGain, to_.weight(weights_.output_norm)},
             {slot::NormArgmax::kWeight, to_.weight(weights_.output)},
             {slot::NormArgmax::kTokens, history_.tokens()},
             {slot::NormArgmax::kLogProbs, history_.log_probs()}},
            NormArgmaxParams{.width = h_.width,
                             .epsilon = to_.stream_epsilon(),
                             .vocabulary = h_.vocabulary,
                             .weight_type = id(weights_.output.type),
                             .fine_activations = kFine},
            Patch::kArgmaxOutput);
  }

  void sample() {
    to_.add(Op::kGumbel, "sampler",
            {{slot::Gumbel::kLogits, s_.logits.at()},
             {slot::Gumbel::kTokens, history_.tokens()},
             {slot::Gumbel::kSampling, s_.sampling.at()},
             {slot::Gumbel::kScores, s_.scores.at()},
             {slot::Gumbel::kNormalizer, s_.normalizer.at()}},
            GumbelParams{.vocabulary = h_.vocabulary}, Patch::kPosition);
    argmax({.scores = s_.scores.at(), .raw_logits = s_.logits.at(), .normalizer = s_.normalizer.at()});
  }

  // Logits; or a sampler's scores, with the logits behind them and their normaliser.
  struct Choice {
    Binding scores;
    Binding raw_logits = {}, normalizer = {};
  };
  void argmax(const Choice& choice) {
    to_.add(Op::kArgmax, "argmax",
            {{slot::Argmax::kLogits, choice.scores},
             {slot::Argmax::kTokens, history_.tokens()},
             {slot::Argmax::kLogProbs, history_.log_probs()},
             {slot::Argmax::kRawLogits, choice.raw_logits},
             {slot::Argmax::kNormalizer, choice.normalizer}},
            ArgmaxParams{.vocabulary = h_.vocabulary, .last_row_only = 0}, Patch::kArgmaxOutput);
  }

  TableWriter to_;
  const Hyperparameters& h_;
  const Weights& weights_;
  const Scratch& s_;
  const TokenHistory& history_;
};

}  // namespace

DispatchTable build_table(const TablePlan& plan, TableEnd end, std::uint32_t max_rows) {
  return TableBuilder(plan, max_rows).build(end);
}

}  // namespace emberline
