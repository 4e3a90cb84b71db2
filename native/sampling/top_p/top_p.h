// Top-p: the shortest prefix of the tokens, by (logit descending, id ascending), whose mass reaches what is
// wanted.
//
// Seven ways to find it, after J. Rudolph's "Finding the top-p elements as used in Nucleus Sampling", and a
// chooser (cut_to_mass.h) that picks by the shape it sees, which the sampler uses. Masses are integers
// (softmax_mass.h) and rank keys are all different, so every way gives the same nucleus exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"
#include "sampling/mass_law.h"
#include "sampling/scanned_logits.h"
#include "sampling/top_p/nucleus_space.h"

namespace emberline {

struct TopPProblem {
  ScannedLogits logits;
  MassLaw law;
  std::uint64_t total;   // the mass of all tokens
  std::uint64_t wanted;  // in [1, total]
};

// Its rank keys are the first `count` of the space's.
struct Nucleus {
  std::size_t count = 0;
  std::uint64_t mass = 0;  // >= wanted
  std::uint64_t last = 0;  // the rank key of its last token
  bool ranked = false;     // whether the keys are in order
};

using TopPAlgorithm = Nucleus (*)(const TopPProblem&, NucleusSpace&);

// Sorts the ids of the whole vocabulary by their logits. O(n log n).
Nucleus top_p_by_sorting(const TopPProblem& problem, NucleusSpace& space);
// The same with what a filter leaves (filter.h), m tokens: O(n + m log m).
Nucleus top_p_by_filter_and_sort(const TopPProblem& problem, NucleusSpace& space);
// The same with rank keys for ids: a comparison reads nothing but the two integers.
Nucleus top_p_by_filter_and_fast_sort(const TopPProblem& problem, NucleusSpace& space);
// Takes the best of what the filter leaves until the mass is reached. O(n + m * nucleus); a pass ends early
// at a token that has more than half of the mass that is left.
Nucleus top_p_by_filter_and_scan(const TopPProblem& problem, NucleusSpace& space);
// Takes the best of the whole vocabulary until the mass is reached. O(n * nucleus).
Nucleus top_p_by_repeated_maximum(const TopPProblem& problem, NucleusSpace& space);
// Sums up masses by the exponents of their floating-point form, then cuts the bucket where the wanted mass is
// reached. O(n + size of that bucket) on the average.
Nucleus top_p_by_histogram(const TopPProblem& problem, NucleusSpace& space);
// Parts what the filter leaves by pivots, and goes on with the side on which the mass is reached. O(n) on the
// average.
Nucleus top_p_by_quickselect(const TopPProblem& problem, NucleusSpace& space);
// Picks by the shape it sees: none of the others is best everywhere.
Nucleus top_p(const TopPProblem& problem, NucleusSpace& space);

struct NamedTopP {
  const char* name;
  TopPAlgorithm find;
};
// All of the above, the slow and obvious one first, the chooser last.
std::span<const NamedTopP> top_p_algorithms();

}  // namespace emberline
