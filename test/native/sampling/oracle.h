// The sampling law written out slowly: every stage over a full sort, in extended precision. The sampler is
// tested against it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "sampling/sampling_params.h"

namespace emberline::oracle {

struct Distribution {
  std::vector<std::uint32_t> kept;  // most probable first; by id where no filter is on
  std::vector<long double> prob;    // of kept, sums to 1
  long double margin = 1;  // how far the nearest comparison was from going the other way, as a probability
};

inline std::vector<float> penalise(std::span<const float> logits, std::span<const std::uint32_t> history,
                                   const SamplingParams& params) {
  std::vector<float> result(logits.begin(), logits.end());
  if (params.repeat_penalty == 1) return result;
  std::set<std::uint32_t> distinct;
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (history.size() - i <= params.penalty_window) distinct.insert(history[i]);
  }
  for (const std::uint32_t token : distinct) {
    if (token >= logits.size() || std::isinf(logits[token])) continue;
    const auto flush = [](float v) { return std::abs(v) < std::numeric_limits<float>::min() ? 0.0f : v; };
    float& z = result[token];
    z = flush(z);
    z = flush(z > 0 ? z / params.repeat_penalty : z * params.repeat_penalty);
    z = std::min(std::max(z, std::numeric_limits<float>::lowest()), std::numeric_limits<float>::max());
  }
  return result;
}

inline std::uint32_t lowest_largest(std::span<const float> logits) {
  return static_cast<std::uint32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

inline long double log_softmax(std::span<const float> logits, std::uint32_t token) {
  const long double largest = logits[lowest_largest(logits)];
  long double total = 0;
  for (const float z : logits) total += std::exp(static_cast<long double>(z) - largest);
  return static_cast<long double>(logits[token]) - largest - std::log(total);
}

inline Distribution distribution(std::span<const float> raw, std::span<const std::uint32_t> history,
                                 const SamplingParams& params) {
  const std::vector<float> z = penalise(raw, history, params);
  Distribution result;
  if (params.temperature <= 0) {
    result.kept = {lowest_largest(z)};
    result.prob = {1};
    return result;
  }
  const long double largest = z[lowest_largest(z)];
  std::vector<long double> p(z.size());
  long double total = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    p[i] =
        std::exp((static_cast<long double>(z[i]) - largest) / static_cast<long double>(params.temperature));
    total += p[i];
  }
  for (long double& value : p) value /= total;

  std::vector<std::uint32_t> order(z.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return z[a] != z[b] ? z[a] > z[b] : a < b; });
  std::erase_if(order, [&](auto token) { return std::isinf(z[token]); });

  const auto compare_distance = [&](long double a, long double b) {
    result.margin = std::min(result.margin, std::abs(a - b));
  };
  const bool fewer = params.top_k > 0 && static_cast<std::size_t>(params.top_k) < z.size();
  if (!fewer && !(params.min_p > 0) && !(params.top_p < 1)) std::sort(order.begin(), order.end());
  if (fewer) order.resize(std::min(order.size(), static_cast<std::size_t>(params.top_k)));
  if (params.min_p > 0) {
    const long double least = static_cast<long double>(params.min_p) * p[order[0]];
    std::size_t keep = 1;
    while (keep < order.size()) {
      compare_distance(p[order[keep]], least);
      if (p[order[keep]] < least) break;
      ++keep;
    }
    order.resize(keep);
  }
  if (params.top_p < 1) {
    long double mass = 0;
    std::size_t keep = 0;
    do {
      mass += p[order[keep++]];
      compare_distance(mass, params.top_p);
    } while (keep < order.size() && mass < static_cast<long double>(params.top_p));
    order.resize(keep);
  }
  long double mass = 0;
  for (const auto token : order) mass += p[token];
  result.kept = order;
  for (const auto token : order) result.prob.push_back(p[token] / mass);
  return result;
}

// The token at `uniform` on the cumulative distribution; lowers `margin` by the distance to the nearest step.
inline std::uint32_t invert(Distribution& law, long double uniform) {
  long double below = 0;
  for (std::size_t i = 0; i < law.kept.size(); ++i) {
    below += law.prob[i];
    if (law.prob[i] > 0) law.margin = std::min(law.margin, std::abs(below - uniform));
    if (below > uniform) return law.kept[i];
  }
  return law.kept.back();
}

}  // namespace emberline::oracle
