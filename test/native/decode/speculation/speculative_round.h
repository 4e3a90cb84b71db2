// A round of speculative decoding over a toy language: drafting, deciding, the bonus. The rules are the
// shipped ones, or one of three mistakes that a test has to notice.
#pragma once

#include <cstdint>
#include <string>

#include "decode/speculation/acceptance.h"
#include "decode/speculation/toy_language.h"
#include "decode/speculation/uniform_source.h"

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
    return draw_from(laws_.draft(text), uniforms.uniform(text.size(), RandomStream::kDraft));
  }

  // `drafted`, or what stands in its place.
  TokenId decided(const Text& text, TokenId drafted, UniformSource& uniforms) {
    if (mistake_ == Mistake::kAcceptAlways) return drafted;
    const Distribution& target = laws_.target(text);
    const double acceptance = uniforms.uniform(text.size(), RandomStream::kAccept);
    const double residual = uniforms.uniform(text.size(), RandomStream::kResidual);
    const TokenId token = acceptance_.decide(target, laws_.draft(text), drafted, acceptance, residual);
    const bool replaced = token != drafted;
    return replaced && mistake_ == Mistake::kWrongResidual ? draw_from(target, residual) : token;
  }

  // The token behind a draft that was kept.
  TokenId bonus(const Text& text, UniformSource& uniforms) {
    Text row = text;
    if (mistake_ == Mistake::kBonusFromTheWrongRow) row.pop_back();
    return draw_from(laws_.target(row), uniforms.uniform(text.size(), RandomStream::kSample));
  }

 private:
  ToyLaws& laws_;
  Mistake mistake_;
  Acceptance acceptance_;
};

}  // namespace emberline::testing
