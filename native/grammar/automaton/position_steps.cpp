#include "grammar/automaton/position_steps.h"

#include <algorithm>
#include <span>
#include <utility>

namespace emberline::grammar {

namespace {

constexpr std::size_t kMostSteps = 1u << 15;

}  // namespace

PositionSteps::PositionSteps(StateSpace& space, std::shared_ptr<const TokenTrie> trie,
                             std::function<StateId(StateId, TokenId)> by_state)
    : space_(space), trie_(std::move(trie)), by_state_(std::move(by_state)), epoch_(space.epoch()) {}

Position PositionSteps::step(const Position& position, TokenId token) {
  if (position.state == kDead) return kDead;
  const Step& step = find(position.state, token);
  if (step.by_state) return exactly(position, token);
  Position next(step.to);
  for (std::size_t i = 0; i < step.counts; ++i) {
    next.room[i] = step.amount[i];
    if (step.source[i] == kNew) continue;
    const std::uint32_t before = position.room[step.source[i]];
    if (before <= step.amount[i]) return exactly(position, token);  // it comes near its bound
    next.room[i] = before - step.amount[i];
  }
  return next;
}

Position PositionSteps::exactly(const Position& position, TokenId token) {
  return space_.distant_states().position(by_state_(space_.distant_states().exact(position), token));
}

const PositionSteps::Step& PositionSteps::find(StateId from, TokenId token) {
  if (epoch_ != space_.epoch() || steps_.size() >= kMostSteps) {
    epoch_ = space_.epoch();
    steps_.clear();
    numbers_ = {};
  }
  const std::uint32_t words[2]{from, token};
  const auto [number, fresh] = numbers_.add(words);
  if (fresh) steps_.push_back(found_out(from, token));
  return steps_[number];
}

// Tries the token with two choices of the counts, the same ones for every token. Between them each count
// grows by an amount of its own: what comes of it is as much apart.
PositionSteps::Step PositionSteps::found_out(StateId from, TokenId token) {
  Step step;
  step.by_state = true;
  const std::vector<FarCount> counts = space_.distant_states().far_counts(from);
  const auto most = static_cast<std::uint32_t>(std::max<std::size_t>(1, trie_->bytes(token).size()));
  std::vector<std::uint32_t> fewer(counts.size()), more(counts.size());
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    fewer[i] = counts[i].first;
    more[i] = counts[i].first + i + 1;
    if (std::uint64_t{more[i]} + most >= counts[i].end) return step;
  }
  const auto with = [&](std::span<const std::uint32_t> values) {
    return space_.distant_states().position(
        by_state_(space_.distant_states().with_counts(from, counts, values), token));
  };
  const Position one = with(fewer);
  const Position other = counts.empty() ? one : with(more);
  if (one.state != other.state || !space_.status().ok()) return step;
  for (std::size_t i = 0; i < one.room.size() && one.room[i] > 0; ++i) {
    const std::uint32_t apart = one.room[i] - other.room[i];
    if (apart > counts.size()) return step;
    step.source[i] = apart == 0 ? kNew : static_cast<std::uint8_t>(apart - 1);
    step.amount[i] = one.room[i];
    if (apart > 0) {
      const std::uint32_t before = counts[apart - 1].end - fewer[apart - 1];
      if (one.room[i] > before) return step;
      step.amount[i] = before - one.room[i];
    }
    step.counts = static_cast<std::uint8_t>(i + 1);
  }
  step.to = one.state;
  step.by_state = false;
  return step;
}

}  // namespace emberline::grammar
