#include <algorithm>

#include "device/cpu/stages/expert_stages.h"

namespace emberline {

ExpertGroups::ExpertGroups(std::size_t max_rows, std::uint32_t experts, std::uint32_t used)
    : experts(experts),
      used(used),
      active(std::min<std::size_t>(experts, max_rows * used)),
      largest(max_rows),
      expert(std::make_unique<std::uint32_t[]>(active)),
      first(std::make_unique<std::uint32_t[]>(active + 1)),
      row(std::make_unique<std::uint32_t[]>(max_rows * used)),
      weight(std::make_unique<float[]>(max_rows * used)) {}

ExpertRouteStage::ExpertRouteStage(std::size_t max_rows, std::uint32_t experts, std::uint32_t used)
    : groups(std::make_shared<ExpertGroups>(max_rows, experts, used)),
      chosen_(std::make_unique<std::uint32_t[]>(max_rows * used)),
      weights_(std::make_unique<float[]>(max_rows * used)),
      exps_(std::make_unique<float[]>(experts)),
      next_(std::make_unique<std::uint32_t[]>(experts)) {}

// Logits that are not numbers give weights that are none, of experts that there are.
void ExpertRouteStage::choose(const float* row_logits, std::uint32_t* chosen, float* weights) const {
  const std::size_t used = groups->used, experts = groups->experts;
  std::size_t count = 0;
  for (std::uint32_t e = 0; e < experts; ++e) {
    const float logit = row_logits[e];
    if (count == used && !(logit > row_logits[chosen[used - 1]])) continue;
    std::size_t at = count < used ? count++ : used - 1;
    for (; at > 0 && logit > row_logits[chosen[at - 1]]; --at) chosen[at] = chosen[at - 1];
    chosen[at] = e;
  }
  const float largest = row_logits[chosen[0]];
  const bool of_all = weighting == kSoftmaxOfAll;
  const std::size_t summed = of_all ? experts : used;
  for (std::size_t i = 0; i < summed; ++i) exps_[i] = row_logits[of_all ? i : chosen[i]] - largest;
  kernels->exp(exps_.get(), summed, exps_.get());
  float sum = 0.0f;
  for (std::size_t i = 0; i < summed; ++i) sum += exps_[i];
  for (std::size_t i = 0; i < used; ++i) weights[i] = scale * (exps_[of_all ? chosen[i] : i] / sum);
}

// A counting sort.
void ExpertRouteStage::group(std::size_t rows) const {
  ExpertGroups& to = *groups;
  const std::size_t pairs = rows * to.used;
  std::fill_n(next_.get(), to.experts, 0u);
  for (std::size_t i = 0; i < pairs; ++i) ++next_[chosen_[i]];
  to.active = to.largest = 0;
  std::uint32_t past = 0;
  for (std::uint32_t e = 0; e < to.experts; ++e) {
    const std::uint32_t count = next_[e];
    next_[e] = past;
    if (count == 0) continue;
    to.expert[to.active] = e;
    to.first[to.active++] = past;
    to.largest = std::max<std::size_t>(to.largest, count);
    past += count;
  }
  to.first[to.active] = past;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::uint32_t pair = next_[chosen_[i]]++;
    to.row[pair] = static_cast<std::uint32_t>(i / to.used);
    to.weight[pair] = weights_[i];
  }
}

void ExpertRouteStage::run(const Step& step, Worker&, std::size_t, std::size_t) const {
  const std::size_t used = groups->used;
  for (std::size_t r = 0; r < step.rows; ++r)
    choose(logits + r * groups->experts, chosen_.get() + r * used, weights_.get() + r * used);
  group(step.rows);
}

}  // namespace emberline
