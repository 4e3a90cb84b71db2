#include "sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <new>
#include <string>

#include "base/try.h"
#include "sampling/gumbel_noise.h"
#include "sampling/masked_logit.h"
#include "sampling/random.h"
#include "sampling/softmax_mass.h"
#include "sampling/top_p/cut_to_mass.h"
#include "sampling/top_p/filter.h"

namespace emberline {
namespace {

constexpr std::uint64_t kLargestMass = std::uint64_t{1} << kMassBits;

bool top_k_is_on(const SamplingParams& params, std::size_t vocabulary) {
  return params.top_k > 0 && static_cast<std::size_t>(params.top_k) < vocabulary;
}

bool any_filter_is_on(const SamplingParams& params, std::size_t vocabulary) {
  return params.top_p < 1 || params.min_p > 0 || top_k_is_on(params, vocabulary);
}

std::uint64_t total_mass(const ScannedLogits& logits, const MassLaw& law) {
  return logits.kernels->total_mass(logits.values.data(), logits.values.size(), logits.block_largest,
                                    law.least_logit(1), law.largest, law.scale);
}

float log_probability_of(float logit, float largest, std::uint64_t total) {
  const double normalizer = std::log(static_cast<double>(total) / static_cast<double>(kLargestMass));
  return static_cast<float>(static_cast<double>(logit) - largest - normalizer);
}

// The rank key at the inverse of the cumulative distribution.
std::uint64_t draw(const SamplingKernels& kernels, const Nucleus& nucleus, const MassLaw& law, double uniform,
                   NucleusSpace& space) {
  // The token drawn is the last of a smaller nucleus.
  const std::uint64_t wanted = mass_below(uniform, nucleus.mass) + 1;
  if (nucleus.ranked) return cut_ranked(space.keys(), law, wanted).last;
  return cut_to_mass(kernels, space, nucleus.count, law, wanted).last;
}

// The rank key with the largest score, of equal ones that of the lowest id: the operations are those of
// metal/gumbel.h.
std::uint64_t draw_by_noise(std::span<const std::uint64_t> keys, float largest, const SamplingParams& params,
                            std::uint64_t position) {
  const float inverse = 1.0f / effective_temperature(params.temperature);
  std::uint64_t best = keys.front();
  float best_score = kMaskedLogit;
  for (const std::uint64_t key : keys) {
    const float noise = gumbel_noise(params.seed, static_cast<std::uint32_t>(position), token_of(key));
    const float score = fused(-(largest - logit_of(key)), inverse, noise);
    if (score > best_score || (score == best_score && token_of(key) < token_of(best))) {
      best = key;
      best_score = score;
    }
  }
  return best;
}

}  // namespace

Status check_sampling_params(const SamplingParams& params) {
  const auto invalid = [](const char* what) {
    return Status(ErrorCode::kInvalidArgument, std::string(what) + "; correct the sampling settings.");
  };
  if (!std::isfinite(params.temperature)) return invalid("The temperature must be a finite number");
  if (std::isnan(params.top_p)) return invalid("top-p must be a number");
  if (std::isnan(params.min_p)) return invalid("min-p must be a number");
  if (!std::isfinite(params.repeat_penalty) || params.repeat_penalty <= 0) {
    return invalid("The repeat penalty must be a finite number above 0");
  }
  return {};
}

float Sampler::log_probability(std::span<const float> logits, std::uint32_t token) const {
  // A piece at a time, so that the largest logits of blocks need no memory of their own.
  constexpr std::size_t kPiece = 4096;
  float block_largest[logit_blocks(kPiece)];
  const auto each_piece = [&](auto use) {
    for (std::size_t i = 0; i < logits.size(); i += kPiece) {
      use(logits.data() + i, std::min(kPiece, logits.size() - i));
    }
  };
  float largest = kMaskedLogit;
  bool finite = true;
  each_piece([&](const float* piece, std::size_t n) {
    const LogitScan scan = kernels_->scan(piece, n, block_largest);
    largest = std::max(largest, scan.largest);
    finite = finite && scan.finite;
  });
  if (!finite || largest == kMaskedLogit) return std::numeric_limits<float>::quiet_NaN();
  std::uint64_t total = 0;
  each_piece([&](const float* piece, std::size_t n) {
    // Nothing is below -inf: no block is left out.
    total += kernels_->total_mass(piece, n, block_largest, kMaskedLogit, largest, mass_scale(1));
  });
  return log_probability_of(logits[token], largest, total);
}

void Sampler::reserve(std::size_t vocabulary) {
  if (vocabulary_ >= vocabulary) return;
  penalised_.reserve(vocabulary);
  seen_.resize((vocabulary + 63) / 64);
  block_largest_.resize(3 * logit_blocks(vocabulary));
  space_.reserve(vocabulary);
  vocabulary_ = vocabulary;
}

void Sampler::penalise(std::span<const float> logits, std::span<const std::uint32_t> history,
                       const SamplingParams& params) {
  penalised_.assign(logits.begin(), logits.end());
  const auto window = history.last(std::min<std::size_t>(history.size(), params.penalty_window));
  for (const std::uint32_t token : window) {
    if (token >= logits.size()) continue;
    std::uint64_t& word = seen_[token / 64];
    const std::uint64_t bit = 1ull << (token % 64);
    float& logit = penalised_[token];
    if ((word & bit) != 0 || logit == kMaskedLogit) continue;
    word |= bit;
    logit = penalised_logit(logit, params.repeat_penalty);
  }
  for (const std::uint32_t token : window) {
    if (token < logits.size()) seen_[token / 64] = 0;
  }
}

Result<Sampler::Adjusted> Sampler::adjust(std::span<const float> logits,
                                          std::span<const std::uint32_t> history,
                                          const SamplingParams& params) {
  if (logits.empty() || logits.size() > std::numeric_limits<std::uint32_t>::max()) {
    return Status(ErrorCode::kInvalidArgument,
                  "There are no logits to sample from; this is a defect, please report it.");
  }
  TRY(check_sampling_params(params));
  reserve(logits.size());
  TRY_VALUE(const ScannedLogits raw, scan_logits(logits, block_largest_.data(), *kernels_));
  if (params.repeat_penalty == 1.0f || params.penalty_window == 0 || history.empty()) {
    return Adjusted{raw, raw};
  }
  penalise(logits, history, params);
  TRY_VALUE(const ScannedLogits adjusted,
            scan_logits(penalised_, block_largest_.data() + logit_blocks(logits.size()), *kernels_));
  return Adjusted{adjusted, raw};
}

// Of the blocks' largest logits the k-th, -inf for fewer blocks: k tokens have it or more.
float Sampler::kth_largest_block(const ScannedLogits& logits, std::size_t k) {
  const std::size_t blocks = logit_blocks(logits.values.size());
  if (k > blocks) return kMaskedLogit;
  float* const order = block_largest_.data() + 2 * blocks;
  std::copy(logits.block_largest, logits.block_largest + blocks, order);
  std::nth_element(order, order + (k - 1), order + blocks, std::greater<float>());
  return order[k - 1];
}

Nucleus Sampler::survivors(const ScannedLogits& logits, const MassLaw& law, const SamplingParams& params,
                           std::uint64_t total) {
  const std::size_t vocabulary = logits.values.size();
  std::uint64_t wanted = std::numeric_limits<std::uint64_t>::max();
  if (params.top_p < 1) {
    if (total == 0) total = total_mass(logits, law);
    wanted = top_p_mass(total, params.top_p);
  }
  const bool top_k = top_k_is_on(params, vocabulary);
  if (!top_k && !(params.min_p > 0)) return top_p({logits, law, total, wanted}, space_);

  // A min_p above 1 drops everything but the first.
  const std::size_t most = params.min_p > 1 ? 1 : top_k ? static_cast<std::size_t>(params.top_k) : vocabulary;
  if (most == 1 || wanted <= kLargestMass) {
    const std::uint64_t best = rank_key(logits.largest, logits.best);
    space_.keys()[0] = best;
    return {1, kLargestMass, best, true};
  }
  std::uint64_t least_mass = 1;
  if (params.min_p > 0) least_mass = std::max(least_mass, min_p_mass(params.min_p));
  float least = law.least_logit(least_mass);
  if (top_k) least = std::max(least, kth_largest_block(logits, most));
  std::size_t count = collect(logits, least, space_);
  if (count > most) {
    std::nth_element(space_.keys(), space_.keys() + most, space_.keys() + count);
    count = most;
  }
  return cut_to_mass(*kernels_, space_, count, law, wanted);
}

Status Sampler::distribution(std::span<const float> logits, std::span<const std::uint32_t> history,
                             const SamplingParams& params, Distribution& out) {
  TRY_VALUE(const Adjusted adjusted, adjust(logits, history, params));
  const ScannedLogits& scanned = adjusted.logits;
  out.tokens.reserve(logits.size());
  out.masses.reserve(logits.size());
  if (params.greedy()) {
    out.tokens.assign(1, scanned.best);
    out.masses.assign(1, 1);
    out.total = 1;
    return {};
  }
  const MassLaw law{scanned.largest, mass_scale(params.temperature)};
  std::size_t count;
  if (any_filter_is_on(params, logits.size())) {
    const Nucleus nucleus = survivors(scanned, law, params, 0);
    count = nucleus.count;
    if (!nucleus.ranked) std::sort(space_.keys(), space_.keys() + count);
  } else {
    count = collect(scanned, law.least_logit(1), space_);
  }
  out.masses.resize(count);
  out.total = kernels_->masses(space_.keys(), count, law.largest, law.scale, out.masses.data());
  out.tokens.resize(count);
  std::transform(space_.keys(), space_.keys() + count, out.tokens.begin(), token_of);
  return {};
}

Result<Draw> Sampler::sample(std::span<const float> logits, std::span<const std::uint32_t> history,
                             const SamplingParams& params, std::uint64_t position) {
  TRY_VALUE(const Adjusted adjusted, adjust(logits, history, params));
  const auto& [scanned, raw] = adjusted;
  const MassLaw raw_law{raw.largest, mass_scale(1)};
  const std::uint64_t raw_total = total_mass(raw, raw_law);

  Draw drawn{.token = scanned.best};
  if (!params.greedy()) {
    const MassLaw law{scanned.largest, mass_scale(params.temperature)};
    const bool by_noise = params.draw_by == DrawBy::kGumbelNoise;
    const double uniform = random_uniform(params.seed, position, RandomStream::kSample);
    const bool same_law = scanned.values.data() == raw.values.data() && law.scale == raw_law.scale;
    std::uint64_t key, total;
    if (any_filter_is_on(params, logits.size())) {
      const Nucleus nucleus = survivors(scanned, law, params, same_law ? raw_total : 0);
      total = nucleus.mass;
      key = nucleus.count == 1 ? nucleus.last
            : by_noise         ? draw_by_noise({space_.keys(), nucleus.count}, law.largest, params, position)
                               : draw(*kernels_, nucleus, law, uniform, space_);
    } else {
      // By id: no order has to be made.
      const std::size_t count = collect(scanned, law.least_logit(1), space_);
      total = same_law ? raw_total : total_mass(scanned, law);
      key = by_noise ? draw_by_noise({space_.keys(), count}, law.largest, params, position)
                     : cut_ranked(space_.keys(), law, mass_below(uniform, total) + 1).last;
    }
    drawn.token = token_of(key);
    drawn.prob = static_cast<float>(static_cast<double>(law.mass(key)) / static_cast<double>(total));
  }
  drawn.log_prob = log_probability_of(logits[drawn.token], raw.largest, raw_total);
  return drawn;
}

}  // namespace emberline
