#include "grammar/automaton/array_guide.h"

#include <algorithm>

namespace emberline::grammar {

ArrayGuide::ArrayGuide(const ArrayRule& rule) : rule_(&rule), least_before_{0}, most_before_{0} {
  for (const Item& each : rule.prefix) {
    least_before_.push_back(least_before_.back() + (each.value == kNone && each.counted != kNone ? 1 : 0));
    most_before_.push_back(most_before_.back() + (each.counted != kNone ? 1 : 0));
  }
}

std::uint64_t ArrayGuide::least_in(std::uint64_t begin, std::uint64_t end) const {
  const std::uint64_t prefix = rule_->prefix.size();
  const std::uint64_t inside = least_before_[std::min(end, prefix)] - least_before_[std::min(begin, prefix)];
  const std::uint64_t behind = end > prefix ? end - std::max(begin, prefix) : 0;
  return inside + (rule_->rest.value == kNone ? behind : 0);
}

// Whether `items` items, `counted` of them counted, can be brought to an end. The fewest more that are enough
// are the best: whatever is added can only get in the way of `most` and `most_counted`.
bool ArrayGuide::can_complete(std::uint64_t items, std::uint64_t counted) const {
  const std::uint64_t prefix = rule_->prefix.size();
  const bool rest = rule_->rest.value != kNone || rule_->rest.counted != kNone;
  std::uint64_t end = std::max<std::uint64_t>(items, rule_->least);
  if (counted < rule_->least_counted) {
    const std::uint64_t more = missing(counted);
    const std::uint64_t begin = std::min(items, prefix);
    const std::uint64_t in_prefix = most_before_[prefix] - most_before_[begin];
    if (more <= in_prefix) {
      const auto enough =
          std::lower_bound(most_before_.begin(), most_before_.end(), most_before_[begin] + more);
      end = std::max<std::uint64_t>(end, static_cast<std::uint64_t>(enough - most_before_.begin()));
    } else if (rule_->rest.counted != kNone) {
      end = std::max(end, std::max(items, prefix) + more - in_prefix);
    } else {
      return false;
    }
  }
  if (end > rule_->most) return false;
  if (end > items && end > prefix && !rest) return false;
  for (std::uint64_t index = items; index < std::min(end, prefix); ++index) {
    if (rule_->prefix[index].value == kNone && rule_->prefix[index].counted == kNone) return false;
  }
  return rule_->most_counted == kUnbounded || counted + least_in(items, end) <= rule_->most_counted;
}

// The same behind the prefix, where as many items as are missing fit below `most`.
bool ArrayGuide::can_complete_from_afar(std::uint64_t counted) const {
  return (missing(counted) == 0 || rule_->rest.counted != kNone) && counted <= rule_->most_counted;
}

ArrayView ArrayGuide::view(std::uint32_t items, std::uint32_t counted) const {
  const bool far = is_far(items);
  ArrayView view;
  view.may_close = items != kFarBelow && (far || items >= rule_->least) && counted >= rule_->least_counted;
  const Item& next = far ? rule_->rest : item(items);
  const auto completes = [&](std::uint32_t more) {
    return far ? can_complete_from_afar(std::uint64_t{counted} + more)
               : can_complete(std::uint64_t{items} + 1, std::uint64_t{counted} + more);
  };
  if (next.value != kNone && completes(0)) view.plain = next.value;
  if (next.counted != kNone && completes(1)) view.counted = next.counted;
  return view;
}

std::uint32_t ArrayGuide::items_behind(std::uint32_t items) const {
  if (is_far(items)) return items;
  if (rule_->most != kUnbounded) return items + 1;
  return std::min(items + 1, std::max(rule_->least, static_cast<std::uint32_t>(rule_->prefix.size())));
}

std::uint32_t ArrayGuide::counted_behind(std::uint32_t counted) const {
  return rule_->most_counted == kUnbounded ? std::min(counted + 1, rule_->least_counted) : counted + 1;
}

CountBounds ArrayGuide::bounds(std::uint32_t counted, std::uint32_t distance) const {
  const auto prefix = static_cast<std::uint32_t>(rule_->prefix.size());
  // Items on the way to `least` that all have to be counted may be too many.
  const bool all_counted = rule_->rest.value == kNone && rule_->most_counted != kUnbounded;
  return {rule_->least, rule_->most, distance + missing(counted),
          all_counted ? std::max(prefix, rule_->least) : prefix};
}

}  // namespace emberline::grammar
