// The sampling law in its own integers, written out slowly: every token is put in order and its mass
// computed. What the sampler's law and a GPU's survivors are compared with, exactly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <vector>

#include "sampling/mass_law.h"
#include "sampling/rank_key.h"
#include "sampling/sampling_params.h"

namespace emberline {

struct ExactLaw {
  // The survivors, most probable first, those without mass among them.
  std::vector<std::uint32_t> tokens;
  std::vector<std::uint64_t> masses;
};

// `params`: not greedy. `logits`: finite or masked, one at least not masked.
inline ExactLaw exact_law(std::span<const float> logits, std::span<const std::uint32_t> history,
                          const SamplingParams& params) {
  std::vector<float> z(logits.begin(), logits.end());
  const auto window = history.last(std::min<std::size_t>(history.size(), params.penalty_window));
  if (params.repeat_penalty != 1.0f) {
    for (const std::uint32_t token : std::set<std::uint32_t>(window.begin(), window.end())) {
      if (token < z.size()) z[token] = penalised_logit(z[token], params.repeat_penalty);
    }
  }
  const MassLaw law{*std::max_element(z.begin(), z.end()), mass_scale(params.temperature)};
  std::vector<std::uint64_t> ranked;
  std::uint64_t total = 0;
  for (std::uint32_t id = 0; id < z.size(); ++id) {
    total += law.mass(z[id]);
    if (z[id] != -std::numeric_limits<float>::infinity()) ranked.push_back(rank_key(z[id], id));
  }
  std::sort(ranked.begin(), ranked.end());

  const std::size_t most = params.top_k > 0 ? static_cast<std::size_t>(params.top_k) : ranked.size();
  const std::uint64_t least = params.min_p > 1   ? std::numeric_limits<std::uint64_t>::max()
                              : params.min_p > 0 ? min_p_mass(params.min_p)
                                                 : 0;
  const std::uint64_t wanted =
      params.top_p < 1 ? top_p_mass(total, params.top_p) : std::numeric_limits<std::uint64_t>::max();
  ExactLaw result;
  std::uint64_t mass = 0;
  for (const std::uint64_t key : ranked) {
    const std::size_t rank = result.tokens.size();
    if (rank > 0 && (rank >= most || law.mass(key) < least || mass >= wanted)) break;
    result.tokens.push_back(token_of(key));
    result.masses.push_back(law.mass(key));
    mass += result.masses.back();
  }
  return result;
}

}  // namespace emberline
