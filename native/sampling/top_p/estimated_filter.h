// A sharper filter than filter.h's where the nucleus is not tiny: what it leaves is checked afterwards.
#pragma once

#include "sampling/top_p/top_p.h"

namespace emberline {

// A logit above which there is probably the wanted mass and not much more; the least finite one where this
// cannot be told. Whether the mass is there shows when the tokens are collected: if so, the nucleus is among
// them.
//
// Known are the largest logits of blocks. If tokens lie in blocks as chance has it, then among B blocks, k of
// which have their largest logit further up, the next largest one stands for B / (B - k) tokens: the others
// are hidden behind larger ones (the estimator of Nelson and Aalen for observations that are cut off). For a
// nucleus with tokens in nearly all blocks, a sample of the vocabulary tells what lies outside of it: many
// small masses, where a sum over the nucleus would hang on the few that are large. Uses space.other_keys()
// and other_masses().
float estimated_least_logit(const TopPProblem& problem, NucleusSpace& space);

}  // namespace emberline
