#include "grammar/schema/set_plan.h"

#include <algorithm>
#include <utility>

#include "grammar/json/json_reader.h"
#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/minimise.h"

namespace emberline::grammar {

namespace {

constexpr std::uint32_t kMostListedKeys = 64;
constexpr std::uint32_t kMostCountedKeys = 1000;  // where it matters how many different ones there are
constexpr std::uint32_t kDeepestCount = 4;        // of values within values
constexpr std::uint32_t kMostPlaces = 16;         // of an item that is looked for
const Json kHere;                                 // stands for what has no place of its own

const Json& place_of(const Json* at) {
  return at != nullptr ? *at : kHere;
}

// All texts of a finite language in `out`.
void list_texts(const Dfa& dfa, std::uint32_t state, std::string& text, std::vector<std::string>& out) {
  if (dfa.label[state] != 0) out.push_back(text);
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::uint32_t next = dfa.step(state, static_cast<unsigned char>(byte));
    if (next == kNone) continue;
    text.push_back(static_cast<char>(byte));
    list_texts(dfa, next, text, out);
    text.pop_back();
  }
}

}  // namespace

SetPlans::SetPlans(SetSpace& space, ScalarTerminals& terminals)
    : space_(space), refusal_(space.refusal()), terminals_(terminals), algebra_(space) {}

PlanId SetPlans::plan(PlanKey key) {
  const auto [place, fresh] = by_key_.emplace(key, static_cast<PlanId>(plans_.size()));
  if (fresh) {
    plans_.emplace_back();
    plans_.back().key = key;
  }
  return place->second;
}

void SetPlans::make(PlanId id) {
  SetPlan& plan = plans_[id];
  const ValueSet& form = space_.form(plan.key.set);
  if (!refusal_.spend(form.size() + 4)) return;
  plan.words = form.words;
  for (const NumberShape& shape : form.numbers)
    if (!terminals_.number(shape, plan.key.one_spelling).empty()) plan.numbers.push_back(shape);
  StringShape together{kNoLanguage, 0, kUnbounded};
  for (const StringShape& shape : form.strings) {
    const std::optional<StringShape> exact = terminals_.exact(shape);
    if (!exact) continue;
    if (exact->bounded()) {
      plan.strings.push_back(*exact);
    } else {
      together.language = space_.languages().join(together.language, exact->language);
    }
  }
  if (together.language != kNoLanguage) plan.strings.push_back(together);
  for (const ObjectPointer& shape : form.objects) add_object(plan, *shape, 0);
  for (const ArrayPointer& shape : form.arrays) add_array(plan, *shape);
}

const OtherKeys* SetPlans::others(const std::vector<KeyRule>& rules, bool one_spelling) {
  for (const KnownOthers& known : others_)
    if (known.one_spelling == one_spelling && known.rules == rules) return known.made.get();
  auto made = std::make_unique<OtherKeys>();
  std::vector<LanguageId> languages;
  for (const KeyRule& rule : rules)
    languages.insert(languages.end(), rule.keys.languages.begin(), rule.keys.languages.end());
  std::sort(languages.begin(), languages.end());
  languages.erase(std::unique(languages.begin(), languages.end()), languages.end());
  // What keys of the languages `in` (indices) have to be of.
  const auto values_of_keys = [&](const std::vector<std::uint32_t>& in) {
    SetId set = kAnySet;
    for (const KeyRule& rule : rules) {
      const bool has =
          std::any_of(rule.keys.languages.begin(), rule.keys.languages.end(), [&](LanguageId each) {
            const auto at = std::lower_bound(languages.begin(), languages.end(), each) - languages.begin();
            return std::binary_search(in.begin(), in.end(), static_cast<std::uint32_t>(at));
          });
      if (has != rule.keys.none_of) set = space_.meet(set, rule.set);
    }
    return set;
  };
  if (languages.empty()) {
    const SetId set = values_of_keys({});
    if (set != kNeverSet) {
      made->keys = terminals_.quoted(kAnyLanguage);
      made->values.push_back(plan({set, one_spelling}));
    }
  } else {
    std::vector<Dfa> dfas;
    for (const LanguageId language : languages) dfas.push_back(space_.languages().dfa(language));
    dfas.push_back(space_.languages().dfa(kAnyLanguage));
    Result<Classified> classified = classify(dfas);
    if (!classified.ok()) {
      refusal_.take(classified.error());
      return nullptr;
    }
    Classified classes = std::move(classified).value();
    refusal_.spend(classes.dfa.next.size() / 16 + 64);
    std::vector<std::uint32_t> label_of{0};
    for (const std::vector<std::uint32_t>& in : classes.sets) {
      const SetId set = values_of_keys(in);
      if (set == kNeverSet) {
        label_of.push_back(0);
        continue;
      }
      const PlanId id = plan({set, one_spelling});
      const auto found = std::find(made->values.begin(), made->values.end(), id);
      label_of.push_back(static_cast<std::uint32_t>(found - made->values.begin()) + 1);
      if (found == made->values.end()) made->values.push_back(id);
    }
    for (std::uint32_t& label : classes.dfa.label) label = label_of[label];
    Result<JsonText> text = json_text(minimised(classes.dfa), true);
    if (!text.ok()) {
      refusal_.take(text.error());
      return nullptr;
    }
    made->keys = std::move(text).value().dfa;
  }
  if (made->keys.empty()) {
    made.reset();
  } else {
    made->count = text_count(made->keys);
  }
  others_.push_back({rules, one_spelling, std::move(made)});
  return others_.back().made.get();
}

// Makes keys known where there are few: then they come once each, and it is known when none is left.
void SetPlans::list_keys(ObjectShape& shape, std::uint32_t most) {
  const OtherKeys* rest = others(shape.rules, false);
  if (rest == nullptr || rest->count > most) return;
  std::vector<std::string> texts;
  std::string text;
  list_texts(rest->keys, 0, text, texts);
  for (const std::string& quoted : texts) {
    Result<Json> key = read_json(quoted);
    if (key.ok()) algebra_.know(shape, key.value().text);
  }
  ShapeAlgebra::close(shape);
}

void SetPlans::add_object(SetPlan& plan, const ObjectShape& shape, std::size_t depth) {
  if (!refusal_.spend(shape.known.size() + 2)) return;
  if (!shape.witnesses.empty()) {
    // One of the known keys is the one that is wanted, where no other can be.
    ObjectShape rest = shape;
    const KeyWitness witness = rest.witnesses.back();
    rest.witnesses.pop_back();
    SetId unknown = witness.set;
    for (const KeyRule& rule : shape.rules)
      if (rule.keys == witness.keys) unknown = space_.meet(unknown, rule.set);
    if (!shape.closed() && !space_.surely_empty(unknown)) {
      refusal_.unsupported(place_of(witness.at),
                           "that some additional property is of a kind is not enforced");
      return;
    }
    for (const KnownKey& key : shape.known) {
      if (!algebra_.applies(witness.keys, key.key) ||
          std::binary_search(witness.but.begin(), witness.but.end(), key.key))
        continue;
      ObjectShape each = rest;
      KnownKey& there = algebra_.know(each, key.key);
      there.required = true;
      there.set = space_.meet(there.set, witness.set);
      if (!space_.surely_empty(there.set)) add_object(plan, each, depth + 1);
    }
    return;
  }
  std::size_t required = 0;
  for (const KnownKey& key : shape.known) required += key.required ? 1 : 0;
  ObjectShape settled = shape;
  list_keys(settled, settled.least > required ? kMostCountedKeys : kMostListedKeys);
  ObjectPlan made;
  for (const KnownKey& key : settled.known)
    made.known.push_back({key.key, this->plan({key.set, plan.key.one_spelling}), key.required});
  made.others = others(settled.rules, plan.key.one_spelling);
  made.dependencies = settled.dependencies;
  made.least = settled.least;
  made.most = settled.most;
  plan.objects.push_back(std::move(made));
}

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
  LanguageId strings = kNoLanguage;
  for (const StringShape& shape : form.strings) {
    const std::optional<StringShape> exact = terminals_.exact(shape);
    if (!exact) continue;
    if (exact->bounded() && exact->most > 2) return kUnbounded;
    LanguageId language = exact->language;
    if (exact->bounded()) language = space_.languages().with_length(language, exact->least, exact->most);
    strings = space_.languages().join(strings, language);
  }
  count += text_count(numbers);
  count += text_count(space_.languages().dfa(strings));
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, kUnbounded));
}

SetPlans::ValueCount SetPlans::count_values(SetId set, std::uint32_t depth) {
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
    refusal_.unsupported(place_of(shape.unique), why);
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
    plan.most = std::min(plan.most, values_of(shape.rest));
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

void SetPlans::add_array(SetPlan& plan, const ArrayShape& given) {
  ArrayShape shape = given;
  if (!refusal_.spend(shape.prefix.size() + 2)) return;
  if (shape.prefix.size() >= shape.most) {
    shape.prefix.resize(shape.most);
    shape.rest = kNeverSet;
  }
  if (shape.rest == kNeverSet)
    shape.most = std::min(shape.most, static_cast<std::uint32_t>(shape.prefix.size()));
  std::erase_if(shape.counts,
                [](const ItemCount& count) { return count.least == 0 && count.most == kUnbounded; });
  if (shape.counts.size() > 1) {
    // One of few places holds the item that is looked for.
    const auto one = std::find_if(shape.counts.begin(), shape.counts.end(), [&](const ItemCount& count) {
      return count.least == 1 && count.most == kUnbounded && shape.most <= kMostPlaces;
    });
    if (one == shape.counts.end()) {
      refusal_.unsupported(place_of(shape.counts[1].at),
                           "two counts of the items of one array are not enforced");
      return;
    }
    const ItemCount wanted = *one;
    shape.counts.erase(one);
    for (std::uint32_t at = wanted.from; at < shape.most; ++at) {
      ArrayShape each = shape;
      while (each.prefix.size() <= at) each.prefix.push_back(each.rest);
      each.prefix[at] = space_.meet(each.prefix[at], wanted.set);
      each.least = std::max(each.least, at + 1);
      if (!space_.surely_empty(each.prefix[at])) add_array(plan, each);
    }
    return;
  }
  ArrayPlan made;
  made.least = shape.least;
  made.most = shape.most;
  if (shape.most <= 1) shape.unique = nullptr;
  if (!shape.counts.empty()) {
    made.counts = true;
    made.least_counted = shape.counts.front().least;
    made.most_counted = shape.counts.front().most;
  }
  if (shape.unique != nullptr && !add_unique(made, shape)) return;
  const bool one_spelling = shape.unique != nullptr || plan.key.one_spelling;
  if (made.counts)
    while (shape.prefix.size() < shape.counts.front().from) shape.prefix.push_back(shape.rest);
  const auto item = [&](std::size_t index) {
    const SetId set = shape.item(index);
    PlannedItem planned;
    if (set == kNeverSet) return planned;
    if (!made.counts || index < shape.counts.front().from) {
      planned.value = this->plan({set, one_spelling});
      return planned;
    }
    const ItemCount& count = shape.counts.front();
    planned.counted = this->plan({space_.meet(set, count.set), one_spelling});
    SetId other = set;
    if (made.most_counted != kUnbounded || shape.unique != nullptr) {
      const std::vector<SetId> others = space_.outside(count.set);
      if (others.empty()) return planned;
      if (others.size() > 1) {
        refusal_.unsupported(place_of(count.at), "the complement of this schema is not enforced");
        return planned;
      }
      other = space_.meet(set, others.front());
    }
    planned.value = this->plan({other, one_spelling});
    return planned;
  };
  for (std::size_t i = 0; i < shape.prefix.size(); ++i) made.prefix.push_back(item(i));
  made.rest = item(shape.prefix.size());
  plan.arrays.push_back(std::move(made));
}

std::optional<LiveKeys> live_keys(const ObjectPlan& plan, const Inhabited& inhabited) {
  const std::size_t size = plan.known.size();
  std::vector<bool> allowed(size), required(size);
  for (std::size_t i = 0; i < size; ++i) {
    allowed[i] = inhabited(plan.known[i].value);
    required[i] = plan.known[i].required;
  }
  const auto index = [&](const std::string& key) {
    return static_cast<std::size_t>(
        std::lower_bound(plan.known.begin(), plan.known.end(), key,
                         [](const PlannedKey& each, const std::string& name) { return each.key < name; }) -
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
  std::size_t needed = 0, possible = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (required[i] && !allowed[i]) return std::nullopt;
    needed += required[i] ? 1 : 0;
    possible += allowed[i] ? 1 : 0;
  }
  if (needed > plan.most || plan.least > plan.most) return std::nullopt;
  if (!live.others && possible < plan.least) return std::nullopt;
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
  const auto keep = [&](PlannedItem& item) {
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
  if (live.counts) {
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
  }
  if (live.least > live.most) return std::nullopt;
  return live;
}

bool SetPlans::has_values(const SetPlan& plan) {
  if (plan.words != 0 || !plan.numbers.empty() || !plan.strings.empty()) return true;
  const Inhabited lives = [this](PlanId id) { return inhabited(id); };
  return std::any_of(plan.objects.begin(), plan.objects.end(),
                     [&](const ObjectPlan& each) { return live_keys(each, lives).has_value(); }) ||
         std::any_of(plan.arrays.begin(), plan.arrays.end(),
                     [&](const ArrayPlan& each) { return live_items(each, lives).has_value(); });
}

void SetPlans::complete() {
  while (made_ < plans_.size() && !refusal_.any()) make(made_++);
  // What is reached later is nearer to the values without parts, most of the time.
  for (bool changed = true; changed && !refusal_.any();) {
    changed = false;
    for (std::size_t i = plans_.size(); i-- > 0;) {
      if (plans_[i].inhabited) continue;
      if (!refusal_.spend(1)) return;
      plans_[i].inhabited = has_values(plans_[i]);
      changed = changed || plans_[i].inhabited;
    }
  }
}

}  // namespace emberline::grammar
