// Do counts follow a law? Pearson's chi-square test with a false-alarm rate of 1e-9.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>

namespace emberline {

// The chi-square value that a true hypothesis exceeds once in 1e9 times (Wilson and Hilferty's cube-root
// normal).
inline double critical_value(double degrees) {
  constexpr double kQuantile = 5.9978;  // of the standard normal at 1 - 1e-9
  const double spread = 2 / (9 * degrees);
  return degrees * std::pow(1 - spread + kQuantile * std::sqrt(spread), 3);
}

struct Fit {
  double statistic = 0;
  double degrees = -1;
  bool refused() const { return statistic > critical_value(degrees); }
};

// Cells expected fewer than ten times are joined into one.
inline Fit fit(const std::map<std::uint32_t, double>& counts,
               const std::map<std::uint32_t, double>& probability, double draws) {
  Fit result;
  double rare_expected = 0, rare_seen = 0, matched = 0;
  for (const auto& [cell, p] : probability) {
    const auto found = counts.find(cell);
    const double seen = found == counts.end() ? 0 : found->second;
    const double expected = p * draws;
    matched += seen;
    if (expected < 10) {
      rare_expected += expected;
      rare_seen += seen;
      continue;
    }
    result.statistic += (seen - expected) * (seen - expected) / expected;
    result.degrees += 1;
  }
  if (rare_expected > 0) {
    result.statistic +=
        (rare_seen - rare_expected) * (rare_seen - rare_expected) / std::max(rare_expected, 1.0);
    result.degrees += 1;
  }
  if (matched != draws)
    result.statistic = std::numeric_limits<double>::infinity();  // something impossible was drawn
  return result;
}

}  // namespace emberline
