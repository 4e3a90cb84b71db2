#include "decode/speculation/speculation_plan.h"

#include <algorithm>
#include <cmath>

namespace emberline {

namespace {

constexpr double kLeastGain = 1.05;
// A row more, in parts of a plain step, before any batch was timed.
constexpr double kAssumedRowShare = 0.25;
// How much of a new time counts; a single one may be an interruption, so at most twice the old one is taken.
constexpr double kTimeWeight = 0.25;
constexpr double kMostTimeGrowth = 2.0;
// A batch that was found dear is not tried again, so nothing would show that it was the machine's fault: with
// each plain step its time goes back so much of the way to what was assumed.
constexpr double kForgotten = 0.005;
// What evidence is worth after each further token of its kind, and in other text.
constexpr double kKept = 0.97, kKeptElsewhere = 0.5;

// Lookups whose match has at least so many tokens,
constexpr std::array<std::uint32_t, DraftKind::kLookups> kMatchLengths = {1, 2, 3, 4, 6, 9, 16, 32};
// and what is expected of them, of the draft model and of forced tokens before anything is known.
constexpr std::array<double, DraftKind::kCount> kExpected = {0.15, 0.3, 0.45, 0.55, 0.65,
                                                             0.8,  0.9, 0.93, 0.7,  1};
// An expectation counts as so many tokens of evidence.
constexpr double kExpectationWeight = 4;
// Of a draft model other text tells no more than so many. What lookups would have drafted is seen at plain
// steps, too, and so is what is forced; a draft model that was given up says nothing, and would never be
// asked again.
constexpr double kMostOfModelElsewhere = 3;

}  // namespace

DraftKind DraftKind::lookup(std::uint32_t match_length) {
  std::size_t index = kLookups - 1;
  while (index > 0 && match_length < kMatchLengths[index]) --index;
  return DraftKind(index);
}

double SpeculationPlan::acceptance(DraftKind kind) const {
  const Evidence& evidence = evidence_[kind.index()];
  const double expected = kExpected[kind.index()];
  return (evidence.accepted + kExpectationWeight * expected) /
         (evidence.accepted + evidence.rejected + kExpectationWeight);
}

double SpeculationPlan::assumed_ms(std::uint32_t rows) const {
  return plain_ms() * (1 + kAssumedRowShare * (rows - 1));
}

double SpeculationPlan::batch_ms(std::uint32_t rows) const {
  if (batch_ms_[rows] > 0) return batch_ms_[rows];
  // On the line through the nearest ones that were measured; the plain step is one where there is any.
  std::uint32_t below = rows, above = rows;
  while (below > 1 && batch_ms_[below] == 0) --below;
  while (above < batch_ms_.size() && batch_ms_[above] == 0) ++above;
  if (above == batch_ms_.size()) {
    if (below == 1) return assumed_ms(rows);
    const double share = (batch_ms_[below] - plain_ms()) / (below - 1);
    return batch_ms_[below] + std::max(share, 0.0) * (rows - below);
  }
  return std::lerp(batch_ms_[below], batch_ms_[above],
                   static_cast<double>(rows - below) / static_cast<double>(above - below));
}

double SpeculationPlan::gain(DraftKind kind, std::uint32_t drafted, double draft_ms) const {
  const double a = acceptance(kind);
  double tokens = 1, reached = 1;
  for (std::uint32_t token = 0; token < drafted; ++token) tokens += reached *= a;
  return tokens * plain_ms() / (batch_ms(drafted + 1) + draft_ms * drafted);
}

std::uint32_t SpeculationPlan::choose(DraftKind kind, std::uint32_t most, double draft_ms) const {
  if (plain_ms() == 0) return 0;
  std::uint32_t best = 0;
  double best_gain = kLeastGain;
  for (std::uint32_t drafted = 1; drafted <= std::min(most, kMostDrafted); ++drafted) {
    const double here = gain(kind, drafted, draft_ms);
    if (here >= best_gain) {
      best = drafted;
      best_gain = here;
    }
  }
  return best;
}

void SpeculationPlan::record_outcome(DraftKind kind, std::uint32_t accepted, bool rejected) {
  Evidence& evidence = evidence_[kind.index()];
  const double kept = std::pow(kKept, accepted + (rejected ? 1 : 0));
  evidence.accepted = evidence.accepted * kept + accepted;
  evidence.rejected = evidence.rejected * kept + (rejected ? 1 : 0);
}

void SpeculationPlan::record_time(std::uint32_t rows, double ms) {
  const double before = batch_ms(rows);
  const double taken = before == 0 ? ms : std::min(ms, kMostTimeGrowth * before);
  double& known = batch_ms_[rows];
  known = known == 0 ? taken : std::lerp(known, taken, kTimeWeight);
  if (rows > 1) return;
  for (std::uint32_t others = 2; others < batch_ms_.size(); ++others) {
    double& batch = batch_ms_[others];
    if (batch > assumed_ms(others)) batch = std::lerp(batch, assumed_ms(others), kForgotten);
  }
}

void SpeculationPlan::text_changed() {
  for (Evidence& evidence : evidence_) {
    evidence.accepted *= kKeptElsewhere;
    evidence.rejected *= kKeptElsewhere;
  }
  Evidence& model = evidence_[DraftKind::model().index()];
  const double tokens = model.accepted + model.rejected;
  if (tokens <= kMostOfModelElsewhere) return;
  model.accepted *= kMostOfModelElsewhere / tokens;
  model.rejected *= kMostOfModelElsewhere / tokens;
}

}  // namespace emberline
