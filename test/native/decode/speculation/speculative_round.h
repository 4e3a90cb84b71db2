// A round of speculative decoding over a toy language: drafting, deciding, the bonus. The rules are the
// shipped ones, or one of three mistakes that a test has to notice.
#pragma once

#include <cstdint>
#include <string>

#include "decode/speculation/acceptance.h"
#include "decode/speculation/toy_language.h"

namespace emberline::testing {

enum class Mistake { kNone, kAcceptAlways, kWrongResidual, kBonusFromTheWrongRow };

inline const char* mistake_name(Mistake mistake) {
  switch (mistake) {
    case Mistake::kNone: return "none";
    case Mistake::kAcceptAlways: return "accept always";
    case Mistake::kWrongResidual: return "wrong residual";
    case Mistake::kBonusFromTheWrongRow: return "bonus from the wrong row";
  }
  return "";
}

// One position at a time, at absolute position text.size().
class SpeculativeRound {
 public:
  SpeculativeRound(ToyLaws& laws, Mistake mistake) : laws_(laws), mistake_(mistake) {
    acceptance_.reserve(laws.language().vocabulary);
  }

  TokenId drafted(const Text& text, UniformSource& uniforms) {
    const Distribution* law = laws_.draft(text);
    if (law == nullptr) return laws_.language().proposal(text);
    return draw_from(*law, uniforms.uniform(text.size(), RandomStream::kDraft));
  }

  Verdict decided(const Text& text, TokenId drafted, UniformSource& uniforms) {
    if (mistake_ == Mistake::kAcceptAlways) return {true, drafted};
    const Distribution& target = laws_.target(text);
    Verdict verdict = acceptance_.decide(target, laws_.draft(text), drafted, text.size(), uniforms);
    if (mistake_ == Mistake::kWrongResidual && !verdict.accepted && laws_.draft(text) != nullptr) {
      verdict.token = draw_from(target, uniforms.uniform(text.size(), RandomStream::kSample));
    }
    return verdict;
  }

  // The token behind a draft that was kept; also any behind a round.
  TokenId plain(const Text& text, bool behind_draft, UniformSource& uniforms) {
    Text row = text;
    if (mistake_ == Mistake::kBonusFromTheWrongRow && behind_draft) row.pop_back();
    return bonus(laws_.target(row), text.size(), uniforms);
  }

 private:
  ToyLaws& laws_;
  Mistake mistake_;
  Acceptance acceptance_;
};

}  // namespace emberline::testing
