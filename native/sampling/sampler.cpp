#include "sampling/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <string>

#include "base/half.h"
#include "sampling/random.h"
#include "sampling/softmax_mass.h"

namespace emberline {
namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

// How many ranks are put in order first; each further step takes three times as many as are ordered already.
constexpr std::size_t kFirstSorted = 64;

// A 64-bit key whose ascending order is "logit descending, id ascending".
std::uint64_t sort_key(float logit, std::uint32_t token) {
  return (static_cast<std::uint64_t>(~logit_key(logit)) << 32) | token;
}

// The masses of tokens (softmax_mass.h): their probabilities times a constant.
class Masses {
 public:
  Masses(float largest, float temperature) : largest_(largest), scale_(mass_scale(temperature)) {}
  std::uint64_t operator()(float logit) const { return mass_of(mass_exponent(largest_ - logit, scale_)); }
  std::uint64_t total(std::span<const float> logits) const {
    std::uint64_t sum = 0;
    for (const float logit : logits) sum += (*this)(logit);
    return sum;
  }

 private:
  float largest_, scale_;
};

float log_probability(std::span<const float> logits, float largest, std::uint32_t token) {
  double total = 0;
  for (const float logit : logits) total += std::exp(static_cast<double>(logit) - largest);
  return static_cast<float>(static_cast<double>(logits[token]) - largest - std::log(total));
}

Status out_of_memory() {
  return {ErrorCode::kOutOfMemory,
          "Not enough memory to sample a token; close other programs and try again."};
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

Result<std::uint32_t> argmax(std::span<const float> logits) {
  std::uint32_t best = 0;
  float largest = kMasked;
  for (std::uint32_t token = 0; token < logits.size(); ++token) {
    const float logit = logits[token];
    if (!(logit <= std::numeric_limits<float>::max())) {  // NaN or +inf
      return Status(
          ErrorCode::kLogitsNotFinite,
          "The model produced a logit that is not a number; its file may be damaged: get it again.");
    }
    if (logit > largest) {
      largest = logit;
      best = token;
    }
  }
  if (largest == kMasked) {
    return Status(ErrorCode::kAllTokensMasked,
                  "Every token is masked, so none can follow; loosen the constraint.");
  }
  return best;
}

float log_probability(std::span<const float> logits, std::uint32_t token) {
  return log_probability(logits, *std::max_element(logits.begin(), logits.end()), token);
}

Status Sampler::reserve(std::size_t vocabulary) {
  if (order_.size() >= vocabulary) return {};
  try {
    penalised_.reserve(vocabulary);
    kept_.reserve(vocabulary);
    seen_.resize((vocabulary + 63) / 64);
    order_.resize(vocabulary);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
  return {};
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
    if ((word & bit) != 0 || logit == kMasked) continue;
    word |= bit;
    logit = penalised_logit(logit, params.repeat_penalty);
  }
  for (const std::uint32_t token : window) {
    if (token < logits.size()) seen_[token / 64] = 0;
  }
}

std::uint32_t Sampler::candidate(std::size_t rank) {
  if (rank >= sorted_) {
    const std::size_t next = std::min(candidates_, std::max({kFirstSorted, rank + 1, 4 * sorted_}));
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    const auto middle = order_.begin() + static_cast<std::ptrdiff_t>(next);
    const auto last = order_.begin() + static_cast<std::ptrdiff_t>(candidates_);
    if (middle != last) std::nth_element(first, middle, last);
    std::sort(first, middle);
    sorted_ = next;
  }
  return static_cast<std::uint32_t>(order_[rank]);
}

Draw Sampler::draw(std::span<const float> logits, float largest, const SamplingParams& params,
                   double uniform) {
  candidates_ = 0;
  sorted_ = 0;
  for (std::uint32_t token = 0; token < logits.size(); ++token) {
    if (logits[token] != kMasked) order_[candidates_++] = sort_key(logits[token], token);
  }
  const Masses mass_of_logit(largest, params.temperature);
  const bool top_p_on = params.top_p < 1;
  const bool top_k_on = params.top_k > 0 && static_cast<std::size_t>(params.top_k) < candidates_;
  const bool filtered = top_k_on || top_p_on || params.min_p > 0;

  std::uint64_t mass = 0;  // of what is kept
  if (!filtered) {
    mass = mass_of_logit.total(logits);
  } else {
    const std::uint64_t wanted = top_p_on ? top_p_mass(mass_of_logit.total(logits), params.top_p)
                                          : std::numeric_limits<std::uint64_t>::max();
    // A min_p above 1 drops everything but the first.
    const std::uint64_t least = params.min_p > 0 && params.min_p <= 1 ? min_p_mass(params.min_p) : 0;
    const std::size_t most = params.min_p > 1 ? 1
                             : top_k_on       ? static_cast<std::size_t>(params.top_k)
                                              : candidates_;
    do {
      const std::uint32_t token = candidate(kept_.size());
      const std::uint64_t own = mass_of_logit(logits[token]);
      if (!kept_.empty() && own < least) break;
      kept_.push_back(token);
      mass += own;
    } while (kept_.size() < most && mass < wanted);
  }

  const std::size_t count = filtered ? kept_.size() : candidates_;
  const double target = uniform * static_cast<double>(mass);
  Draw drawn;
  std::uint64_t drawn_mass = 0, below = 0;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const std::uint32_t token = candidate(rank);
    const std::uint64_t own = mass_of_logit(logits[token]);
    if (own == 0)
      break;  // everything after it has none either; rounding may lead here from the last possible token
    drawn.token = token;
    drawn_mass = own;
    below += own;
    if (static_cast<double>(below) > target) break;
  }
  drawn.prob = static_cast<float>(static_cast<double>(drawn_mass) / static_cast<double>(mass));
  return drawn;
}

Result<Draw> Sampler::sample(std::span<const float> logits, std::span<const std::uint32_t> history,
                             const SamplingParams& params, std::uint64_t position) {
  kept_.clear();
  if (logits.empty() || logits.size() > std::numeric_limits<std::uint32_t>::max()) {
    return Status(ErrorCode::kInvalidArgument,
                  "There are no logits to sample from; this is a defect, please report it.");
  }
  if (Status status = check_sampling_params(params); !status.ok()) return status;
  if (Status status = reserve(logits.size()); !status.ok()) return status;

  Result<std::uint32_t> best = argmax(logits);
  if (!best.ok()) return best.error();
  const float largest = logits[best.value()];

  std::span<const float> adjusted = logits;
  if (params.repeat_penalty != 1.0f && params.penalty_window > 0 && !history.empty()) {
    penalise(logits, history, params);
    adjusted = penalised_;
    best = argmax(adjusted);
    if (!best.ok()) return best.error();
  }

  Draw drawn;
  if (params.greedy()) {
    drawn.token = best.value();
  } else {
    drawn = draw(adjusted, adjusted[best.value()], params,
                 random_uniform(params.seed, position, RandomStream::kSample));
  }
  drawn.log_prob = log_probability(logits, largest, drawn.token);
  return drawn;
}

Result<Draw> Sampler::sample_f16(std::span<const std::uint16_t> logits,
                                 std::span<const std::uint32_t> history, const SamplingParams& params,
                                 std::uint64_t position) {
  try {
    widened_.resize(logits.size());
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
  std::transform(logits.begin(), logits.end(), widened_.begin(), f16_to_f32);
  return sample(widened_, history, params, position);
}

}  // namespace emberline
