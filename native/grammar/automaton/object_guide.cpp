#include "grammar/automaton/object_guide.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/minimise.h"

namespace emberline::grammar {

namespace {

std::uint32_t count_bits(std::span<const std::uint32_t> words) {
  std::uint32_t count = 0;
  for (const std::uint32_t word : words) count += static_cast<std::uint32_t>(std::popcount(word));
  return count;
}

// Texts of keys that are not told apart; kUnbounded: without end.
std::uint32_t count_others(const ObjectRule& rule) {
  Dfa others = rule.keys;
  for (std::uint32_t& label : others.label) {
    if (label != 0 && rule.members[label - 1].key != kNone) label = 0;
  }
  return text_count(trimmed(std::move(others)));
}

}  // namespace

ObjectGuide::ObjectGuide(const ObjectRule& rule) : rule_(&rule), key_words_((rule.known_keys + 31) / 32) {
  required_.assign(key_words_, 0);
  can_come_.assign(key_words_, 0);
  for (const std::uint32_t key : rule.required) required_[key >> 5] |= 1u << (key & 31);
  Keys others((rule.members.size() >> 5) + 1, 0);
  bool any_other = false;
  for (const std::uint32_t label : rule.keys.label) {  // the automaton is trimmed: what it has can be reached
    if (label == 0) continue;
    const std::uint32_t key = rule.members[label - 1].key;
    if (key == kNone) {
      others[label >> 5] |= 1u << (label & 31);
      any_other = true;
      for (const MarkedValue& each : rule.members[label - 1].marked)
        for (const std::uint32_t mark : each.marks) can_come_[mark >> 5] |= 1u << (mark & 31);
    } else {
      can_come_[key >> 5] |= 1u << (key & 31);
    }
  }
  others_guard_.emplace(rule.keys, std::move(others));
  if (any_other) other_texts_ = rule.distinct_others ? count_others(rule) : kUnbounded;
  if (!rule.dependencies.empty()) close_over_dependencies();
}

void ObjectGuide::close_over_dependencies() {
  needs_.assign(rule_->known_keys, Keys(key_words_, 0));
  for (std::uint32_t key = 0; key < rule_->known_keys; ++key) needs_[key][key >> 5] |= 1u << (key & 31);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Dependency& each : rule_->dependencies) {
      for (std::uint32_t word = 0; word < key_words_; ++word) {
        const std::uint32_t all = needs_[each.seen][word] | needs_[each.required][word];
        changed = changed || all != needs_[each.seen][word];
        needs_[each.seen][word] = all;
      }
    }
  }
  for (const std::uint32_t key : rule_->required) {
    for (std::uint32_t word = 0; word < key_words_; ++word) required_[word] |= needs_[key][word];
  }
  const Keys present = can_come_;
  for (std::uint32_t key = 0; key < rule_->known_keys; ++key) {
    for (std::uint32_t word = 0; word < key_words_; ++word) {
      if ((needs_[key][word] & ~present[word]) != 0) can_come_[key >> 5] &= ~(1u << (key & 31));
    }
  }
  for (const Dependency& each : rule_->dependencies) {
    mutual_ = mutual_ || (each.seen != each.required && contains(needs_[each.required], each.seen));
  }
}

bool ObjectGuide::can_fill(const Keys& keys, std::uint64_t members, std::uint64_t others_left) const {
  if (members + others_left >= rule_->least) return true;
  if (!mutual_ || rule_->most == kUnbounded) {
    // Key by key, those that are required first: one more each time.
    std::uint32_t left = 0;
    for (std::uint32_t word = 0; word < key_words_; ++word)
      left += static_cast<std::uint32_t>(std::popcount(can_come_[word] & ~keys[word]));
    return members + left + others_left >= rule_->least;
  }
  // Keys that require one another come in one go, which may be too many: look for a way.
  constexpr std::size_t kMostSets = 4096;
  const std::uint32_t before = count_bits(keys);
  std::set<Keys> seen{keys};
  std::vector<Keys> work{keys};
  while (!work.empty() && seen.size() < kMostSets) {
    const Keys each = std::move(work.back());
    work.pop_back();
    for (std::uint32_t key = 0; key < rule_->known_keys; ++key) {
      if (contains(each, key) || !contains(can_come_, key)) continue;
      Keys more = each;
      for (std::uint32_t word = 0; word < key_words_; ++word) more[word] |= needs_[key][word];
      const std::uint64_t size = members + count_bits(more) - before;
      if (size > rule_->most || !seen.insert(more).second) continue;
      if (size + others_left >= rule_->least) return true;
      work.push_back(std::move(more));
    }
  }
  return seen.size() >= kMostSets;
}

ObjectView ObjectGuide::view(std::span<const std::uint32_t> seen, std::uint32_t members,
                             std::uint32_t others) {
  const bool below = members == kFarBelow;
  const bool far = is_far(members);
  Keys closed = required_;  // with all that has to come
  for (std::uint32_t word = 0; word < key_words_; ++word) closed[word] |= seen[word];
  if (!needs_.empty()) {
    for (std::uint32_t key = 0; key < rule_->known_keys; ++key) {
      if (!contains(seen, key)) continue;
      for (std::uint32_t word = 0; word < key_words_; ++word) closed[word] |= needs_[key][word];
    }
  }
  const std::uint32_t seen_count = count_bits(seen);
  const std::uint64_t missing = count_bits(closed) - seen_count;
  const std::uint64_t others_left =
      other_texts_ == kUnbounded ? kUnbounded : other_texts_ - std::min<std::uint64_t>(other_texts_, others);
  // Whether an object fits that has `keys` in the end and `more` members more than now.
  const auto fits = [&](const Keys& keys, std::uint64_t more, std::uint64_t left) {
    if (far) return true;
    for (std::uint32_t word = 0; word < key_words_; ++word) {
      if ((keys[word] & ~seen[word] & ~can_come_[word]) != 0) return false;
    }
    return members + more <= rule_->most && can_fill(keys, members + more, left);
  };

  ObjectView view;
  view.may_close = missing == 0 && !below && (far || members >= rule_->least);
  view.others =
      others_left > 0 && fits(closed, missing + 1, others_left == kUnbounded ? kUnbounded : others_left - 1);
  std::vector<std::uint32_t> labels((rule_->members.size() >> 5) + 1, 0);
  bool any = false;
  for (std::uint32_t member = 0; member < rule_->members.size(); ++member) {
    const std::uint32_t key = rule_->members[member].key;
    if (key == kNone || contains(seen, key) || !contains(can_come_, key)) continue;
    Keys with = closed;
    with[key >> 5] |= 1u << (key & 31);
    if (!needs_.empty()) {
      for (std::uint32_t word = 0; word < key_words_; ++word) with[word] |= needs_[key][word];
    }
    if (!fits(with, count_bits(with) - seen_count, others_left)) continue;
    labels[(member + 1) >> 5] |= 1u << ((member + 1) & 31);
    any = true;
  }
  if (any) {
    view.known = guard_numbers_.add(labels).first;
    if (view.known == guards_.size()) {
      guards_.emplace_back(rule_->keys, std::move(labels));
      guard_bytes_ += guards_.back().bytes();
    }
    if (!rule_->keys.empty() && !guards_[view.known].live(0)) view.known = kNone;
  }
  return view;
}

std::uint32_t ObjectGuide::members_behind(std::uint32_t members) const {
  if (is_far(members)) return members;
  return rule_->most == kUnbounded ? std::min(members + 1, rule_->least) : members + 1;
}

CountBounds ObjectGuide::bounds(std::uint32_t distance) const {
  // Where keys may run out, what may come depends on the members however few they are; and they are told
  // apart by their keys.
  if (!others_unlimited()) return {};
  return {rule_->least, rule_->most, std::uint64_t{distance} + rule_->known_keys};
}

}  // namespace emberline::grammar
