// Times sampling on one core: [LOGITS VOCABULARY], a file of float32 logits, one distribution after the
// other, as a model gave them. Prints a line of JSON a figure: {name, us, kept}, the median time of finding a
// nucleus or of drawing a token, and how many tokens were kept.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/stopwatch.h"
#include "sampling/kernels/select_sampling_kernels.h"
#include "sampling/sampler.h"
#include "sampling/top_p/top_p.h"

namespace emberline {
namespace {

constexpr float kTopP = 0.95f;
constexpr double kSecondsPerFigure = 0.05;
constexpr std::size_t kFewestRuns = 3;
// Algorithms whose time is a multiple of the nucleus are left out where they would look at more tokens than
// this.
constexpr double kMostLooks = 5e8;

using Logits = std::vector<float>;

// The median of enough runs; `run` takes the number of the run.
template <typename F>
double median_us(F run) {
  std::vector<double> times;
  const Stopwatch all;
  run(0);  // finds the caches cold
  while (times.size() < kFewestRuns || all.milliseconds() < 1e3 * kSecondsPerFigure) {
    const Stopwatch watch;
    run(times.size());
    times.push_back(1e3 * watch.milliseconds());
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

void print(const std::string& name, double us, double kept) {
  std::printf("{\"name\":\"%s\",\"us\":%.4f,\"kept\":%.1f}\n", name.c_str(), us, kept);
  std::fflush(stdout);
}

// Logits of a power law, p(rank) ~ rank^-exponent, at random places.
Logits power_law(std::size_t vocabulary, double exponent) {
  Logits logits(vocabulary);
  for (std::size_t rank = 0; rank < vocabulary; ++rank) {
    logits[rank] = static_cast<float>(-exponent * std::log(static_cast<double>(rank + 1)));
  }
  std::shuffle(logits.begin(), logits.end(), std::mt19937_64(1));
  return logits;
}

// The exponent with which the nucleus has so many tokens.
double exponent_for(std::size_t vocabulary, std::size_t nucleus) {
  const auto mass_to = [](std::size_t ranks, double exponent) {
    double sum = 0;
    for (std::size_t rank = 1; rank <= ranks; ++rank) sum += std::pow(static_cast<double>(rank), -exponent);
    return sum;
  };
  double low = 0, high = 8;
  for (int i = 0; i < 24; ++i) {
    const double middle = (low + high) / 2;
    (mass_to(nucleus, middle) < kTopP * mass_to(vocabulary, middle) ? low : high) = middle;
  }
  return high;
}

Logits flat(std::size_t vocabulary) {
  Logits logits(vocabulary);
  std::mt19937_64 random(1);
  for (float& z : logits) z = std::normal_distribution<float>(0, 0.01f)(random);
  return logits;
}

// Top-p of one distribution, after the softmax: the largest logits and the mass of all are known.
struct Prepared {
  std::vector<float> block_largest;
  TopPProblem problem;
  explicit Prepared(std::span<const float> logits)
      : block_largest(logit_blocks(logits.size())),
        problem{scan_logits(logits, block_largest.data()).value(), {}, 0, 0} {
    problem.law = {problem.logits.largest, mass_scale(1)};
    problem.total = problem.logits.kernels->total_mass(logits.data(), logits.size(), block_largest.data(),
                                                       problem.law.least_logit(1), problem.law.largest,
                                                       problem.law.scale);
    problem.wanted = top_p_mass(problem.total, kTopP);
  }
};

// Of all distributions in turn.
void time_top_p(const std::string& name, const std::vector<Logits>& distributions) {
  std::vector<Prepared> prepared;
  for (const Logits& logits : distributions) prepared.emplace_back(logits);
  const std::size_t vocabulary = distributions[0].size();
  NucleusSpace space;
  space.reserve(vocabulary);
  double kept = 0;
  for (const Prepared& each : prepared) kept += static_cast<double>(top_p(each.problem, space).count);
  kept /= static_cast<double>(prepared.size());
  for (const NamedTopP& algorithm : top_p_algorithms()) {
    const std::string_view which = algorithm.name;
    const bool scans = which == "filterscan" || which == "repeatedmax";
    if (scans && kept * static_cast<double>(vocabulary) > kMostLooks) continue;
    const double us = median_us([&](std::size_t) {
      for (const Prepared& each : prepared) algorithm.find(each.problem, space);
    });
    print("topp/" + name + "-" + algorithm.name, us / static_cast<double>(prepared.size()), kept);
  }
}

// The whole pipeline, from logits to a token, of all distributions in turn.
void time_pipeline(const std::string& name, const std::vector<Logits>& distributions) {
  const SamplingParams params = {.temperature = 0.2f, .top_p = kTopP, .seed = 1};
  Sampler sampler;
  double kept = 0;
  for (const Logits& logits : distributions) {
    Distribution law;
    if (!sampler.distribution(logits, {}, params, law).ok()) std::abort();
    kept += static_cast<double>(law.tokens.size());
  }
  const auto count = static_cast<double>(distributions.size());
  const double us = median_us([&](std::size_t position) {
    for (const Logits& logits : distributions)
      if (!sampler.sample(logits, {}, params, position).ok()) std::abort();
  });
  print("pipeline/" + name, us / count, kept / count);
}

std::vector<Logits> read_logits(const char* path, std::size_t vocabulary) {
  std::vector<Logits> distributions;
  std::ifstream file(path, std::ios::binary);
  Logits logits(vocabulary);
  const auto bytes = static_cast<std::streamsize>(vocabulary * sizeof(float));
  while (file.read(reinterpret_cast<char*>(logits.data()), bytes)) distributions.push_back(logits);
  return distributions;
}

int run(int argc, char** argv) {
  for (const std::size_t vocabulary : {32000u, 49152u, 151936u}) {
    const std::string size = std::to_string(vocabulary);
    const auto few = power_law(vocabulary, exponent_for(vocabulary, 4));
    const auto some = power_law(vocabulary, exponent_for(vocabulary, 250));
    time_top_p(size + "-nucleus4", {few});
    time_top_p(size + "-nucleus250", {some});
    time_top_p(size + "-nucleus10k", {power_law(vocabulary, exponent_for(vocabulary, 10000))});
    time_top_p(size + "-flat", {flat(vocabulary)});
    if (vocabulary != 32000) time_pipeline(size, {some});
  }
  if (argc == 3) {
    const std::size_t vocabulary = std::strtoull(argv[2], nullptr, 10);
    const std::vector<Logits> captured = read_logits(argv[1], vocabulary);
    if (captured.empty()) {
      std::cerr << "There are no logits in " << argv[1] << "\n";
      return 1;
    }
    time_top_p(std::to_string(vocabulary) + "-captured", captured);
    time_pipeline(std::to_string(vocabulary) + "-captured", captured);
  }
  return 0;
}

}  // namespace
}  // namespace emberline

int main(int argc, char** argv) {
  return emberline::run(argc, argv);
}
