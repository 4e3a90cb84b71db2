// A constraint that is easy to check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "decode/constraint.h"

namespace emberline::testing {

// Allows even and odd tokens by turns, but forces a run of one token every eight.
class Turns final : public Constraint {
 public:
  explicit Turns(std::uint32_t vocabulary) : vocabulary_(vocabulary) {}

  bool allows(std::size_t step, TokenId token) const {
    if (token >= vocabulary_) return false;
    return step % 8 >= 5 ? token == forced_token(step) : token % 2 == step % 2;
  }
  Status mask(std::span<float> logits) override {
    for (TokenId token = 0; token < logits.size(); ++token) {
      if (!allows(step_, token)) logits[token] = -std::numeric_limits<float>::infinity();
    }
    return {};
  }
  void advance(TokenId) override { ++step_; }
  void forced(std::uint32_t most, std::vector<TokenId>& out) override {
    ++asked;
    for (std::size_t step = step_; out.size() < most && step % 8 >= 5; ++step) {
      out.push_back(forced_token(step));
    }
  }
  static TokenId forced_token(std::size_t step) { return static_cast<TokenId>('a' + step % 8); }

  int asked = 0;

 private:
  std::uint32_t vocabulary_;
  std::size_t step_ = 0;
};

}  // namespace emberline::testing
