// Objects: which keys are known by name, and what the others may be.
#include <algorithm>
#include <utility>

#include "grammar/json/json_reader.h"
#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/minimise.h"
#include "grammar/schema/set_plan.h"

namespace emberline::grammar {

namespace {

constexpr std::uint32_t kMostListedKeys = 64;
constexpr std::uint32_t kMostCountedKeys = 1000;   // where it matters how many different ones there are
constexpr std::uint32_t kMostListedStates = 4096;  // of keys that are listed: how far list_texts goes down
constexpr std::size_t kMostWitnesses = 3;          // among keys that are not known

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
  const bool rest = values_of_keys({}) != kNeverSet;  // keys of no language
  if (languages.empty() || (languages.size() == 1 && !rest)) {
    const std::vector<std::uint32_t> in(languages.size(), 0);
    const SetId set = values_of_keys(in);
    if (set != kNeverSet) {
      made->keys = terminals_.quoted(languages.empty() ? kAnyLanguage : languages.front());
      made->values.push_back(plan({set, one_spelling}));
      made->wanted.push_back(wanted_of_keys(set, in));
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
  if (rest == nullptr || rest->count > most || rest->keys.states() > kMostListedStates) return;
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
  if (!refusal_.spend(shape.known.size() + shape.witnesses.size() + 2)) return;
  if (!shape.witnesses.empty()) {
    // One of the known keys is the one that is wanted, or one that is not known.
    ObjectShape rest = shape;
    const KeyWitness witness = rest.witnesses.back();
    rest.witnesses.pop_back();
    // A name that one witness leaves out may be the key of another.
    for (const KeyWitness& each : shape.witnesses)
      for (const std::string& name : each.but) algebra_.know(rest, name);
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
    refusal_.unsupported(among_others.front().at,
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

}  // namespace emberline::grammar
