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
constexpr std::size_t kMostWitnesses = 3;         // among keys that are not known
constexpr std::uint32_t kMostPlaces = 16;         // of an item that is looked for
const Json kHere;                                 // stands for what has no place of its own

const Json& place_of(const Json* at) {
  return at != nullptr ? *at : kHere;
}

// Whether, among keys that are not known, what `a` wants is what `b` wants.
bool implies(const KeyWitness& a, const KeyWitness& b) {
  const bool any_key = b.keys.none_of && b.keys.languages.empty();
  return (any_key || a.keys == b.keys) && (b.set == kAnySet || a.set == b.set);
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
  std::vector<LanguageId> together;
  for (const StringShape& shape : form.strings) {
    const std::optional<StringShape> exact = terminals_.exact(shape);
    if (!exact) continue;
    if (exact->bounded()) {
      plan.strings.push_back(*exact);
    } else {
      together.push_back(exact->language);
    }
  }
  if (const LanguageId joined = space_.languages().join(std::move(together)); joined != kNoLanguage)
    plan.strings.push_back({joined, 0, kUnbounded});
  for (const ObjectPointer& shape : form.objects) add_object(plan, *shape, {});
  for (const ArrayPointer& shape : form.arrays) add_array(plan, *shape);
}

const OtherKeys* SetPlans::others(const std::vector<KeyRule>& rules, bool one_spelling,
                                  const std::vector<KeyWitness>& witnesses) {
  for (const KnownOthers& known : others_)
    if (known.one_spelling == one_spelling && known.rules == rules && known.witnesses == witnesses)
      return known.made.get();
  auto made = std::make_unique<OtherKeys>();
  std::vector<LanguageId> languages;
  for (const KeyRule& rule : rules)
    languages.insert(languages.end(), rule.keys.languages.begin(), rule.keys.languages.end());
  for (const KeyWitness& witness : witnesses)
    languages.insert(languages.end(), witness.keys.languages.begin(), witness.keys.languages.end());
  std::sort(languages.begin(), languages.end());
  languages.erase(std::unique(languages.begin(), languages.end()), languages.end());
  // Whether keys of the languages `in` (indices) are of a class, and what they have to be of.
  const auto applies = [&](const KeyClass& keys, const std::vector<std::uint32_t>& in) {
    const bool has = std::any_of(keys.languages.begin(), keys.languages.end(), [&](LanguageId each) {
      const auto at = std::lower_bound(languages.begin(), languages.end(), each) - languages.begin();
      return std::binary_search(in.begin(), in.end(), static_cast<std::uint32_t>(at));
    });
    return has != keys.none_of;
  };
  const auto values_of_keys = [&](const std::vector<std::uint32_t>& in) {
    SetId set = kAnySet;
    for (const KeyRule& rule : rules)
      if (applies(rule.keys, in)) set = space_.meet(set, rule.set);
    return set;
  };
  // Of `set`, what the witnesses want, in every combination of them.
  const auto wanted_of_keys = [&](SetId set, const std::vector<std::uint32_t>& in) {
    std::vector<WitnessValues> wanted;
    for (std::uint32_t some = 1; some < 1u << witnesses.size(); ++some) {
      SetId all = set;
      for (std::uint32_t i = 0; i < witnesses.size(); ++i) {
        if ((some >> i & 1) == 0) continue;
        all = applies(witnesses[i].keys, in) ? space_.meet(all, witnesses[i].set) : kNeverSet;
      }
      if (!space_.surely_empty(all)) wanted.push_back({plan({all, one_spelling}), some});
    }
    return wanted;
  };
  if (languages.empty()) {
    const SetId set = values_of_keys({});
    if (set != kNeverSet) {
      made->keys = terminals_.quoted(kAnyLanguage);
      made->values.push_back(plan({set, one_spelling}));
      made->wanted.push_back(wanted_of_keys(set, {}));
    }
  } else if (const bool rest = values_of_keys({}) != kNeverSet; !rest && languages.size() == 1) {
    const SetId set = values_of_keys({0});
    if (set != kNeverSet) {
      made->keys = terminals_.quoted(languages.front());
      made->values.push_back(plan({set, one_spelling}));
      made->wanted.push_back(wanted_of_keys(set, {0}));
    }
  } else {
    std::vector<Dfa> dfas;
    for (const LanguageId language : languages) dfas.push_back(space_.languages().dfa(language));
    if (rest) dfas.push_back(space_.languages().dfa(kAnyLanguage));
    Result<Classified> classified = classify(dfas);
    if (!classified.ok()) {
      refusal_.take(classified.error());
      return nullptr;
    }
    Classified classes = std::move(classified).value();
    refusal_.spend(classes.dfa.next.size() / 16 + 64);
    std::vector<std::uint32_t> label_of{0};
    bool merged = false;  // labels, so that states may be equal that were not
    for (const std::vector<std::uint32_t>& in : classes.sets) {
      const SetId set = values_of_keys(in);
      if (set == kNeverSet) {
        label_of.push_back(0);
        merged = true;
        continue;
      }
      const PlanId id = plan({set, one_spelling});
      std::vector<WitnessValues> wanted = wanted_of_keys(set, in);
      std::size_t label = 0;
      while (label < made->values.size() && !(made->values[label] == id && made->wanted[label] == wanted))
        ++label;
      label_of.push_back(static_cast<std::uint32_t>(label) + 1);
      if (label < made->values.size()) {
        merged = true;
        continue;
      }
      made->values.push_back(id);
      made->wanted.push_back(std::move(wanted));
    }
    for (std::uint32_t& label : classes.dfa.label) label = label_of[label];
    if (merged) classes.dfa = minimised(std::move(classes.dfa));
    Result<JsonText> text = json_text(classes.dfa, true);
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
  others_.push_back({rules, one_spelling, witnesses, std::move(made)});
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

// `among_others`: witnesses that none of the known keys is.
void SetPlans::add_object(SetPlan& plan, const ObjectShape& shape,
                          const std::vector<KeyWitness>& among_others) {
  if (!refusal_.spend(shape.known.size() + 2)) return;
  if (!shape.witnesses.empty()) {
    // One of the known keys is the one that is wanted, or one that is not known.
    ObjectShape rest = shape;
    const KeyWitness witness = rest.witnesses.back();
    rest.witnesses.pop_back();
    for (const std::string& name : witness.but) algebra_.know(rest, name);
    list_keys(rest, kMostListedKeys);
    const ObjectShape known = rest;
    SetId unknown = witness.set;
    for (const KeyRule& rule : rest.rules)
      if (rule.keys == witness.keys) unknown = space_.meet(unknown, rule.set);
    if (!rest.closed() && !space_.surely_empty(unknown)) {
      std::vector<KeyWitness> wanted = among_others;
      std::erase_if(wanted, [&](const KeyWitness& each) { return implies(witness, each); });
      if (std::none_of(wanted.begin(), wanted.end(),
                       [&](const KeyWitness& each) { return implies(each, witness); }))
        wanted.push_back(witness);
      add_object(plan, rest, wanted);
    }
    for (const KnownKey& key : known.known) {
      if (!algebra_.applies(witness.keys, key.key) ||
          std::binary_search(witness.but.begin(), witness.but.end(), key.key))
        continue;
      ObjectShape each = rest;
      KnownKey& there = algebra_.know(each, key.key);
      there.required = true;
      there.set = space_.meet(there.set, witness.set);
      if (!space_.surely_empty(there.set)) add_object(plan, each, among_others);
    }
    return;
  }
  std::size_t required = 0;
  for (const KnownKey& key : shape.known) required += key.required ? 1 : 0;
  ObjectShape settled = shape;
  if (among_others.empty()) {
    list_keys(settled, settled.least > required ? kMostCountedKeys : kMostListedKeys);
  } else if (settled.closed()) {
    return;
  } else if (settled.most != kUnbounded || among_others.size() > kMostWitnesses) {
    refusal_.unsupported(place_of(among_others.front().at),
                         "that some additional property is of a kind is not enforced here");
    return;
  }
  ObjectPlan made;
  for (const KnownKey& key : settled.known)
    made.known.push_back({key.key, this->plan({key.set, plan.key.one_spelling}), key.required});
  made.others = others(settled.rules, plan.key.one_spelling, among_others);
  made.dependencies = settled.dependencies;
  made.least = settled.least;
  made.most = settled.most;
  made.witnesses = among_others;
  plan.objects.push_back(std::move(made));
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
