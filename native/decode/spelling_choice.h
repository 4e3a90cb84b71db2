// Choosing a token while a prefix has to be spelled (healing.h), by where it leads.
//
// A token that spells a part of the prefix may be likely and lead nowhere: ")" before ":", where the model
// knows "):" as one token. What counts is how likely the prefix is with it, so a token that is chosen is
// evaluated, and weighed by how likely the next one goes on spelling: one step of the sum over encodings in
// Phan, Amos, Gat, Havasi, Muckley and Ullrich, "Exact Byte-Level Probabilities from Tokenized Language
// Models for FIM-Tasks and Model Ensembles" (2024). Others count as if they led on for sure until they are
// chosen in turn, so the last choice, greedy or under noise that stays as it is, is the best of all
// (Gumbel-max, sampling/gumbel_noise.h).
#pragma once

#include <atomic>
#include <span>

#include "decode/generation.h"

namespace emberline {

struct SpellingChoice {
  ChosenToken chosen;
  bool evaluated = false;  // logits row 0 of the pass are those behind it
  bool cancelled = false;  // then nothing is chosen
};

// The token behind `sequence`, from its logits in parts.choice, which stay there but for the weights. `rule`
// has a prefix to spell and no constraint. Evaluates tokens at position sequence.size(), which is below the
// context. Errors of HostChoice::choose and ForwardPass::decode.
Result<SpellingChoice> choose_spelling(const GenerationParts& parts, const ChoiceRule& rule,
                                       std::span<const TokenId> sequence, SamplingParams sampling,
                                       const std::atomic<bool>* cancel);

}  // namespace emberline
