// What is left of plans once it is known which sets have values.
#include <algorithm>
#include <utility>

#include "grammar/regular/json_text.h"
#include "grammar/schema/set_plan.h"

namespace emberline::grammar {

namespace {

// How many keys may come beside the known ones; kUnbounded: without end.
std::uint64_t others_left(const ObjectPlan& plan, bool any) {
  if (!any || plan.others->count == kUnbounded) return any ? kUnbounded : 0;
  std::uint64_t count = plan.others->count;
  for (const PlannedKey& key : plan.known)
    count -= plan.others->keys.match(json_quoted(key.key)) != 0 ? 1 : 0;
  return count;
}

}  // namespace

std::optional<LiveKeys> live_keys(const ObjectPlan& plan, const Inhabited& inhabited) {
  const std::size_t size = plan.known.size();
  std::vector<bool> allowed(size), required(size);
  for (std::size_t i = 0; i < size; ++i) {
    allowed[i] = inhabited(plan.known[i].value);
    required[i] = plan.known[i].required;
  }
  const auto index = [&](const std::string& key) {
    return static_cast<std::size_t>(std::ranges::lower_bound(plan.known, key, {}, &PlannedKey::key) -
                                    plan.known.begin());
  };
  for (bool changed = !plan.dependencies.empty(); changed;) {
    changed = false;
    for (const KeyDependency& each : plan.dependencies) {
      const std::size_t seen = index(each.seen), needed = index(each.required);
      if (required[seen] && !required[needed]) changed = required[needed] = true;
      if (allowed[seen] && !allowed[needed]) {
        allowed[seen] = false;
        changed = true;
      }
    }
  }
  LiveKeys live;
  live.others = plan.others != nullptr &&
                std::any_of(plan.others->values.begin(), plan.others->values.end(), inhabited);
  for (std::size_t i = 0; i < plan.witnesses.size(); ++i) {
    const auto wants = [&](const WitnessValues& each) {
      return (each.witnesses >> i & 1) != 0 && inhabited(each.value);
    };
    if (plan.others == nullptr ||
        std::none_of(plan.others->wanted.begin(), plan.others->wanted.end(),
                     [&](const auto& all) { return std::any_of(all.begin(), all.end(), wants); }))
      return std::nullopt;
  }
  std::size_t needed = 0, possible = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (required[i] && !allowed[i]) return std::nullopt;
    needed += required[i] ? 1 : 0;
    possible += allowed[i] ? 1 : 0;
  }
  if (needed > plan.most || plan.least > plan.most) return std::nullopt;
  if (possible < plan.least && others_left(plan, live.others) < plan.least - possible) return std::nullopt;
  for (std::size_t i = 0; i < size; ++i) {
    if (allowed[i] && (required[i] || needed < plan.most)) {
      live.allowed.push_back(&plan.known[i]);
      live.required.push_back(required[i]);
    } else {
      live.forbidden.push_back(&plan.known[i]);
    }
  }
  live.others = live.others && needed < plan.most;
  return live;
}

std::optional<ArrayPlan> live_items(const ArrayPlan& plan, const Inhabited& inhabited) {
  ArrayPlan live = plan;
  const auto keep = [&](Item& item) {
    if (item.value != kNone && !inhabited(item.value)) item.value = kNone;
    if (item.counted != kNone && !inhabited(item.counted)) item.counted = kNone;
    return item.value != kNone || item.counted != kNone;
  };
  for (std::size_t i = 0; i < live.prefix.size(); ++i) {
    if (keep(live.prefix[i])) continue;
    live.prefix.resize(i);
    live.rest = {};
    break;
  }
  const auto prefix = static_cast<std::uint32_t>(live.prefix.size());
  const bool rest = keep(live.rest);
  if (!rest) live.most = std::min(live.most, prefix);
  // Items that can only be counted are forced; as many as may be counted end the array.
  std::uint32_t forced = 0;
  for (std::uint32_t i = 0; i < prefix && i < live.most; ++i) {
    if (live.prefix[i].value != kNone) continue;
    if (forced == live.most_counted) {
      live.most = i;
    } else {
      ++forced;
    }
  }
  if (rest && live.rest.value == kNone && live.most_counted != kUnbounded && live.most > prefix) {
    const std::uint64_t most = static_cast<std::uint64_t>(prefix) + (live.most_counted - forced);
    live.most = static_cast<std::uint32_t>(std::min<std::uint64_t>(live.most, most));
  }
  std::uint64_t possible = 0;
  for (std::uint32_t i = 0; i < prefix && i < live.most; ++i)
    possible += live.prefix[i].counted != kNone ? 1 : 0;
  if (rest && live.rest.counted != kNone && live.most > prefix) possible += live.most - prefix;
  if (possible < live.least_counted || live.least_counted > live.most_counted) return std::nullopt;
  if (live.least > live.most) return std::nullopt;
  return live;
}

}  // namespace emberline::grammar
