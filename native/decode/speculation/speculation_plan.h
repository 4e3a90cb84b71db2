// How many drafted tokens are worth verifying: from how often such drafts were right, and what a batch takes.
//
// With K drafted tokens, each accepted with probability a while those before it were, a batch gives
// E(K) = (1 - a^(K + 1)) / (1 - a) tokens (Leviathan, Kalman and Matias, ICML 2023, equation 1). It is worth
// its time where E(K) plain steps would take longer. Both a and the times are measured as decoding goes on.
#pragma once

#include <array>
#include <cstdint>

namespace emberline {

// Most tokens of a draft: with the one before them they are a batch.
inline constexpr std::uint32_t kMostDrafted = 15;

// Kinds of drafts that are right equally often: lookups by the length of their match, those of the draft
// model, and tokens that a constraint forces.
class DraftKind {
 public:
  static constexpr std::size_t kLookups = 8, kCount = kLookups + 2;
  static DraftKind lookup(std::uint32_t match_length);  // >= 1
  static constexpr DraftKind model() { return DraftKind(kLookups); }
  static constexpr DraftKind forced() { return DraftKind(kLookups + 1); }
  constexpr std::size_t index() const { return index_; }

 private:
  constexpr explicit DraftKind(std::size_t index) : index_(index) {}
  std::size_t index_;
};

class SpeculationPlan {
 public:
  // How many tokens of a draft of `kind` to verify, 0..most (at most kMostDrafted); 0: a plain step is
  // better, or the gain is below 5 %, or no plain step has been timed yet. `draft_ms`: what a drafted token
  // takes to make.
  std::uint32_t choose(DraftKind kind, std::uint32_t most, double draft_ms = 0) const;
  // Tokens a millisecond with `drafted` tokens over those of plain steps.
  double gain(DraftKind kind, std::uint32_t drafted, double draft_ms = 0) const;

  // `accepted` tokens of a draft were right, and then, where `rejected`, one was not. Also of drafts that
  // were not verified but turned out either way.
  void record_outcome(DraftKind kind, std::uint32_t accepted, bool rejected);
  // A batch of `rows` rows, 1 being a plain step, with all that choosing its tokens took. One that took much
  // longer than others say may have been interrupted, and counts as twice as long at most.
  void record_time(std::uint32_t rows, double ms);
  // Other text is being written: what was learnt of drafts counts for less, and a draft model that was given
  // up is tried again.
  void text_changed();

  double acceptance(DraftKind kind) const;
  double plain_ms() const { return batch_ms_[1]; }  // of a step; 0: not known
  double batch_ms(std::uint32_t rows) const;        // measured, or estimated from what was; 0: not known

 private:
  double assumed_ms(std::uint32_t rows) const;

  struct Evidence {
    double accepted = 0, rejected = 0;
  };
  std::array<Evidence, DraftKind::kCount> evidence_;
  std::array<double, kMostDrafted + 2> batch_ms_{};  // by rows; 0: not measured
};

}  // namespace emberline
