// What generated tokens have to satisfy beyond the law of the model: a grammar, for example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

// Follows one generation. Masking comes before every truncation, so that what is drawn follows the law of the
// model under the condition that each token is allowed.
class Constraint {
 public:
  virtual ~Constraint() = default;

  // Sets the logits of tokens that may not come next to -inf. `logits`: [vocabulary].
  virtual Status mask(std::span<float> logits) = 0;
  // `token` came next. One that mask() left, or an end token.
  virtual void advance(TokenId token) = 0;
  // At most `most` tokens that come next whatever the model says: where exactly one is allowed, and so on
  // behind it. They are verified as a draft; a guess that is wrong costs time, and nothing else.
  virtual void forced(std::uint32_t most, std::vector<TokenId>& out) = 0;

  // Nothing but the end may come: no step is spent on it.
  virtual bool complete() const { return false; }
  // Whether an allowed text can begin with what came so far: always behind tokens that mask() left.
  virtual bool holds() const { return true; }
  // Whether the text goes on with `token`, which is an end or a control token elsewhere.
  virtual bool reads(TokenId) const { return false; }
  // How many of `tokens` may come, one behind the other: the rest of a draft is not worth verifying.
  virtual std::size_t admitted(std::span<const TokenId> tokens) { return tokens.size(); }
};

}  // namespace emberline
