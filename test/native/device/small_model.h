// A one-layer transformer with random weights as a dispatch table: every op at work, small enough to run by
// the hundred.
#pragma once

#include <memory>
#include <vector>

#include "device/table_harness.h"
#include "reference/random_data.h"

namespace emberline::testing {

class SmallModel {
 public:
  static constexpr std::uint32_t kVocabulary = 2100;  // more than one piece of the argmax
  static constexpr std::uint32_t kContext = 96;

  // Fused ops where the device offers them. `type` is that of every matrix.
  SmallModel(Device& device, TensorType type, std::uint32_t max_rows = 1,
             std::uint32_t activation = kGateSilu, std::uint64_t seed = 42);

  TableHarness& table() { return table_; }
  // Tokens and log-probabilities from a position on.
  void set_tokens(const std::vector<std::uint32_t>& tokens, std::uint32_t position = 0);
  std::vector<std::uint32_t> tokens(std::size_t count, std::uint32_t position = 0) {
    return table_.read_words({tokens_.buffer, tokens_.offset + 4 * position}, count);
  }
  std::vector<float> log_probs(std::size_t count, std::uint32_t position = 1) {
    return table_.read_floats({log_probs_.buffer, log_probs_.offset + 4 * position}, count);
  }
  std::vector<float> logits() { return table_.read_floats(logits_, kVocabulary); }  // of the last row
  Binding gain() const { return gain_; }                                            // [64] f32, of every norm

 private:
  Device& device_;
  TableHarness table_;
  Binding tokens_, log_probs_, logits_, embedding_, gain_;
};

}  // namespace emberline::testing
