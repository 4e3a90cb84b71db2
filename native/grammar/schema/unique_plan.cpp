// Arrays whose items have to differ: whether there are enough values for them.
#include <algorithm>
#include <utility>

#include "grammar/regular/dfa_operations.h"
#include "grammar/schema/set_plan.h"

namespace emberline::grammar {

namespace {

constexpr std::uint32_t kDeepestCount = 4;         // of values within values
constexpr std::uint32_t kLongestCounted = 64;      // characters of texts that are counted
constexpr std::uint32_t kMostCountedStates = 256;  // of their automaton, before their length is

}  // namespace

bool SetPlans::only_scalars(SetId set) {
  const ValueSet& form = space_.form(set);
  return std::all_of(form.objects.begin(), form.objects.end(),
                     [&](const ObjectPointer& each) { return algebra_.surely_empty(each); }) &&
         std::all_of(form.arrays.begin(), form.arrays.end(),
                     [&](const ArrayPointer& each) { return algebra_.surely_empty(each); });
}

// How many values a set of scalars has; kUnbounded: without end.
std::uint32_t SetPlans::values_of(const ValueSet& form) {
  std::uint64_t count = 0;
  for (const std::uint8_t word : {ValueSet::kNull, ValueSet::kFalse, ValueSet::kTrue})
    count += (form.words & word) != 0 ? 1 : 0;
  Dfa numbers;
  for (const NumberShape& shape : form.numbers) {
    Result<Dfa> all = united(numbers, terminals_.number(shape, true));
    if (!all.ok()) return kUnbounded;
    numbers = std::move(all).value();
  }
  LanguageSpace& languages = space_.languages();
  std::vector<LanguageId> strings;
  for (const StringShape& shape : form.strings) {
    const std::optional<StringShape> exact = terminals_.exact(shape);
    if (!exact) continue;
    LanguageId language = exact->language;
    if (exact->bounded() && exact->most > 2) {
      // Three characters of any kind make more texts than can be counted.
      if (language == kAnyLanguage || exact->most > kLongestCounted) return kUnbounded;
      const Dfa& dfa = languages.dfa(language);
      if (dfa.states() > kMostCountedStates || !refusal_.spend(dfa.next.size() / 4 + 64)) return kUnbounded;
      const Result<Dfa> texts = with_length(dfa, exact->least, exact->most);
      if (!texts.ok() || text_count(texts.value()) == kUnbounded) return kUnbounded;
    }
    if (exact->bounded()) language = languages.with_length(language, exact->least, exact->most);
    if (languages.count(language) == kUnbounded) return kUnbounded;
    strings.push_back(language);
  }
  count += text_count(numbers);
  count += languages.count(languages.join(std::move(strings)));
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, kUnbounded));
}

// Once for each depth: a set may be within others on many ways.
SetPlans::ValueCount SetPlans::count_values(SetId set, std::uint32_t depth) {
  const auto key = static_cast<std::uint64_t>(set) << 32 | depth;
  if (const auto found = value_counts_.find(key); found != value_counts_.end()) return found->second;
  const ValueCount made = counted_anew(set, depth);
  value_counts_.emplace(key, made);
  return made;
}

SetPlans::ValueCount SetPlans::counted_anew(SetId set, std::uint32_t depth) {
  if (!refusal_.spend(1)) return {};
  const ValueSet& form = space_.form(set);
  ValueSet scalars = form;
  scalars.objects.clear();
  scalars.arrays.clear();
  const std::uint32_t count = values_of(scalars);
  ValueCount all{count, count > 0};
  if (form.objects.empty() && form.arrays.empty()) return all;
  if (depth == 0 || count == kUnbounded || !refusal_.spend(form.size() + 1))
    return {std::max(count, 1u), all.any};
  // Where no shape has values for sure, the one that has some may be any of them.
  std::uint32_t fewest = kUnbounded;
  const auto add = [&](const ValueCount& shape) {
    fewest = std::min(fewest, shape.least);
    if (!shape.any) return;
    all.any = true;
    all.least = std::max(all.least, shape.least);
  };
  for (const ObjectPointer& shape : form.objects) add(count_values(*shape, depth - 1));
  for (const ArrayPointer& shape : form.arrays) add(count_values(*shape, depth - 1));
  if (!all.any) all.least = fewest;
  return all;
}

SetPlans::ValueCount SetPlans::count_values(const ObjectShape& shape, std::uint32_t depth) {
  ValueCount all{1, shape.witnesses.empty() && shape.dependencies.empty()};
  std::uint32_t required = 0;
  for (const KnownKey& key : shape.known) {
    if (!key.required) continue;
    ++required;
    const ValueCount values = count_values(key.set, depth);
    all.least = std::max(all.least, values.least);
    all.any = all.any && values.any;
  }
  all.any = all.any && required <= shape.most;
  if (required >= shape.most || !shape.witnesses.empty()) {
    all.any = all.any && required >= shape.least;
    return all;
  }
  // Of the keys that need not be there one may be.
  const KeyRule* rule = shape.rules.empty() ? nullptr : &shape.rules.front();
  const bool one_rule = shape.rules.size() == 1 && rule->keys.none_of && rule->keys.languages.empty();
  if (rule == nullptr || (one_rule && count_values(rule->set, depth).any)) {
    all.least = kUnbounded;
    return all;
  }
  all.any = all.any && required >= shape.least;
  for (const KnownKey& key : shape.known) {
    if (key.required || key.set == kNeverSet || !all.any || all.least == kUnbounded) continue;
    const ValueCount values = count_values(key.set, depth);
    if (values.any) all.least = std::max(all.least, values.least);
  }
  return all;
}

SetPlans::ValueCount SetPlans::count_values(const ArrayShape& shape, std::uint32_t depth) {
  ValueCount all{1, shape.counts.empty() && (shape.unique == nullptr || shape.least <= 1)};
  std::uint32_t at = 0;
  for (; at < shape.most && at <= shape.prefix.size(); ++at) {
    const ValueCount values = count_values(shape.item(at), depth);
    if (at >= shape.least && !(all.any && values.any)) return all;
    all.least = std::max(all.least, values.least);
    all.any = all.any && values.any;
    if (shape.unique != nullptr) return all;
  }
  if (all.any && at > shape.prefix.size() && shape.most == kUnbounded) all.least = kUnbounded;
  return all;
}

// Items that are all different, so that items that came never use up those that have to come: of those that
// need not come the matcher finds out whether one is left.
bool SetPlans::add_unique(ArrayPlan& plan, const ArrayShape& shape) {
  const auto refuse = [&](std::string_view why) {
    refusal_.unsupported(*shape.unique, why);
    return false;
  };
  const std::size_t items = shape.prefix.size() + 1;
  for (std::size_t i = 0; i < items; ++i)
    plan.containers = plan.containers || (shape.item(i) != kNeverSet && !only_scalars(shape.item(i)));
  plan.unique = true;
  if (!shape.counts.empty()) {
    if (plan.containers) return refuse("different objects or arrays beside contains are not enforced");
    if (!shape.prefix.empty()) return refuse("different items beside contains and a prefix are not enforced");
    const ItemCount& count = shape.counts.front();
    const std::vector<SetId> others = space_.outside(count.set);
    if (others.size() != 1) return refuse("different items beside this contains are not enforced");
    const SetId other = space_.meet(shape.rest, others.front());
    const std::uint32_t counted = values_of(space_.meet(shape.rest, count.set));
    plan.most_counted = std::min(plan.most_counted, counted);
    const std::uint32_t others_count = values_of(other);
    if (others_count != kUnbounded) {
      if (counted == kUnbounded) return refuse("few different items beside many that count are not enforced");
      plan.most = std::min<std::uint32_t>(plan.most, counted + others_count);
    }
    return true;
  }
  if (shape.prefix.empty() && shape.rest != kNeverSet && only_scalars(shape.rest)) {
    const std::uint32_t values = values_of(shape.rest);
    plan.most = std::min(plan.most, values);
    if (values != kUnbounded) plan.least_values = values;
    return true;
  }
  const auto prefix = static_cast<std::uint32_t>(shape.prefix.size());
  for (std::uint32_t i = 0; i < std::min(shape.least, prefix); ++i)
    if (shape.prefix[i] != kNeverSet && count_values(shape.prefix[i], kDeepestCount).least <= i)
      return refuse("items of few values behind others are not enforced to be different");
  if (shape.rest != kNeverSet && shape.least > std::max(prefix, 1u) &&
      count_values(shape.rest, kDeepestCount).least < shape.least)
    return refuse("that so many objects or arrays are different is not enforced");
  if (plan.containers) {
    plan.least_values = kUnbounded;
    for (std::size_t i = 0; i < items; ++i)
      if (shape.item(i) != kNeverSet)
        plan.least_values = std::min(plan.least_values, count_values(shape.item(i), kDeepestCount).least);
  }
  return true;
}

}  // namespace emberline::grammar
