// Objects.
#include <algorithm>
#include <iterator>
#include <utility>

#include "grammar/schema/shape_algebra.h"

namespace emberline::grammar {

namespace {

constexpr std::size_t kMostShapeWitnesses = 64;  // SetPlans goes one call deeper for each

template <typename T>
void add_once(std::vector<T>& all, const T& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

template <typename T>
bool has_all(const std::vector<T>& all, const std::vector<T>& some) {
  return std::all_of(some.begin(), some.end(),
                     [&](const T& one) { return std::find(all.begin(), all.end(), one) != all.end(); });
}

template <typename T>
std::vector<T> united_sorted(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

}  // namespace

bool ShapeAlgebra::applies(const KeyClass& keys, std::string_view key) {
  const bool has = std::any_of(keys.languages.begin(), keys.languages.end(),
                               [&](LanguageId language) { return space_.languages().has(language, key); });
  return has != keys.none_of;
}

SetId ShapeAlgebra::set_of(const ObjectShape& shape, std::string_view key) {
  if (const KnownKey* known = shape.find(key)) return known->set;
  SetId set = kAnySet;
  for (const KeyRule& rule : shape.rules)
    if (applies(rule.keys, key)) set = space_.meet(set, rule.set);
  return set;
}

KnownKey& ShapeAlgebra::know(ObjectShape& shape, std::string_view key) {
  const auto place = std::ranges::lower_bound(shape.known, key, {}, &KnownKey::key);
  if (place != shape.known.end() && place->key == key) return *place;
  const SetId set = set_of(shape, key);
  // What moves is cheap, but in the worst order every key moves all others.
  space_.refusal().spend(static_cast<std::size_t>(shape.known.end() - place) / 16);
  return *shape.known.insert(place, KnownKey{std::string(key), set, false});
}

void ShapeAlgebra::add_rule(ObjectShape& shape, const KeyRule& rule) {
  if (rule.set == kAnySet || shape.closed()) return;
  if (rule.keys.languages.empty() && !rule.keys.none_of) return;  // no keys at all
  if (rule.set == kNeverSet && rule.keys.none_of && rule.keys.languages.empty()) {
    close(shape);
  } else {
    add_once(shape.rules, rule);
  }
}

void ShapeAlgebra::close(ObjectShape& shape) {
  KeyRule none;
  none.keys.none_of = true;
  none.set = kNeverSet;
  shape.rules.assign(1, none);
}

ObjectShape ShapeAlgebra::meet(const ObjectShape& a, const ObjectShape& b) {
  ObjectShape out;
  out.known.reserve(a.known.size() + b.known.size());
  auto left = a.known.begin();
  auto right = b.known.begin();
  while (left != a.known.end() || right != b.known.end()) {
    const int order = left == a.known.end() ? 1 : right == b.known.end() ? -1 : left->key.compare(right->key);
    KnownKey key = order <= 0 ? *left : *right;
    if (order < 0) {
      key.set = space_.meet(key.set, set_of(b, key.key));
    } else if (order > 0) {
      key.set = space_.meet(key.set, set_of(a, key.key));
    } else {
      key.set = space_.meet(key.set, right->set);
      key.required = key.required || right->required;
    }
    out.known.push_back(std::move(key));
    left += order <= 0 ? 1 : 0;
    right += order >= 0 ? 1 : 0;
  }
  space_.refusal().spend(out.known.size() + 1);
  for (const ObjectShape* from : {&a, &b}) {
    for (const KeyRule& rule : from->rules) add_rule(out, rule);
    for (const KeyWitness& witness : from->witnesses) add_once(out.witnesses, witness);
    for (const KeyDependency& dependency : from->dependencies) add_once(out.dependencies, dependency);
  }
  if (out.witnesses.size() > kMostShapeWitnesses) space_.refusal().too_large();
  out.least = std::max(a.least, b.least);
  out.most = std::min(a.most, b.most);
  out.evaluated.all = a.evaluated.all || b.evaluated.all;
  out.evaluated.names = united_sorted(a.evaluated.names, b.evaluated.names);
  out.evaluated.languages = united_sorted(a.evaluated.languages, b.evaluated.languages);
  return out;
}

bool ShapeAlgebra::holds(const ObjectShape& outer, const ObjectShape& inner) {
  const auto within = [](SetId some, SetId all) {
    return some == all || some == kNeverSet || all == kAnySet;
  };
  if (inner.least < outer.least || inner.most > outer.most) return false;
  if (space_.document().tracks_evaluated() && !(outer.evaluated == inner.evaluated)) return false;
  if (!has_all(inner.dependencies, outer.dependencies) || !has_all(inner.witnesses, outer.witnesses) ||
      (!inner.closed() && !has_all(inner.rules, outer.rules)))
    return false;
  auto key = inner.known.begin();
  for (const KnownKey& wanted : outer.known) {
    for (; key != inner.known.end() && key->key < wanted.key; ++key)
      if (!within(key->set, set_of(outer, key->key))) return false;
    const bool both = key != inner.known.end() && key->key == wanted.key;
    if (wanted.required && !(both && key->required)) return false;
    if (!within(both ? key->set : set_of(inner, wanted.key), wanted.set)) return false;
    if (both) ++key;
  }
  return std::all_of(key, inner.known.end(),
                     [&](const KnownKey& each) { return within(each.set, set_of(outer, each.key)); });
}

// By a key that both know, which has to be there: what most alternatives of real schemas differ in.
bool ShapeAlgebra::told_apart(const ObjectShape& a, const ObjectShape& b) {
  for (const KnownKey& left : a.known) {
    const KnownKey* right = left.set == kAnySet ? nullptr : b.find(left.key);
    if (right == nullptr || right->set == kAnySet || left.set == right->set) continue;
    if (!left.required && !right->required) continue;
    if (!space_.refusal().spend(1)) return true;
    if (space_.lists_values(left.set) && space_.lists_values(right->set) &&
        space_.surely_empty(space_.meet(left.set, right->set)))
      return true;
  }
  return false;
}

bool ShapeAlgebra::meet_into(const ObjectPointer& a, const ObjectPointer& b, ObjectPointer& out) {
  if (one_holds(a, b, out)) return true;
  if (told_apart(*a, *b)) return false;
  auto made = std::make_shared<ObjectShape>(meet(*a, *b));
  if (made->least > made->most) return false;
  for (const KnownKey& key : made->known) {
    if (!key.required) continue;
    // What is as it was has been looked at before, or is none of this step's business.
    const KnownKey* left = a->find(key.key);
    const KnownKey* right = b->find(key.key);
    const bool same = (left != nullptr && left->set == key.set && left->required) ||
                      (right != nullptr && right->set == key.set && right->required);
    if (key.set == kNeverSet || (!same && space_.surely_empty(key.set))) return false;
  }
  if (!made->witnesses.empty() && made->closed() && !find_witnesses(*made)) return false;
  out = std::move(made);
  return true;
}

// Of an object with known keys alone: makes a key required where it is the only one that can be a witness.
bool ShapeAlgebra::find_witnesses(ObjectShape& shape) {
  std::vector<KeyWitness> left;
  for (const KeyWitness& witness : shape.witnesses) {
    std::size_t candidates = 0;
    KnownKey* last = nullptr;
    for (KnownKey& key : shape.known) {
      if (key.set == kNeverSet || std::binary_search(witness.but.begin(), witness.but.end(), key.key) ||
          !applies(witness.keys, key.key) || space_.surely_empty(space_.meet(key.set, witness.set)))
        continue;
      ++candidates;
      last = &key;
    }
    if (candidates == 0) return false;
    if (candidates == 1) {
      last->required = true;
      last->set = space_.meet(last->set, witness.set);
    } else {
      left.push_back(witness);
    }
  }
  shape.witnesses = std::move(left);
  return true;
}

bool ShapeAlgebra::surely_empty(const ObjectPointer& shape) {
  std::size_t required = 0, possible = 0;
  for (const KnownKey& key : shape->known) {
    if (key.required && space_.surely_empty(key.set)) return true;
    required += key.required ? 1 : 0;
    possible += key.set != kNeverSet ? 1 : 0;
  }
  if (required > shape->most || shape->least > shape->most) return true;
  return shape->closed() && possible < shape->least;
}

std::vector<ObjectPointer> ShapeAlgebra::outside(const ObjectPointer& of) {
  const ObjectShape& shape = *of;
  std::vector<ObjectPointer> shapes;
  const auto add = [&shapes](ObjectShape each) {
    shapes.push_back(std::make_shared<const ObjectShape>(std::move(each)));
  };
  const auto with_key = [&](const std::string& key, SetId set, bool required) {
    ObjectShape each;
    each.known.push_back({key, set, required});
    add(std::move(each));
  };
  for (const KnownKey& key : shape.known) {
    for (const SetId set : space_.outside(key.set)) with_key(key.key, set, true);
    if (key.required) with_key(key.key, kNeverSet, false);
  }
  std::vector<std::string> names;
  for (const KnownKey& key : shape.known) names.push_back(key.key);
  for (const KeyRule& rule : shape.rules) {
    for (const LanguageId language : rule.keys.languages) {
      if (space_.languages().regular(language)) continue;
      space_.refusal().unsupported(*at_, "that a key is not of this format is not enforced");
      return {};
    }
    for (const SetId set : space_.outside(rule.set)) {
      ObjectShape each;
      each.witnesses.push_back({rule.keys, names, set, at_});
      add(std::move(each));
    }
  }
  for (const KeyWitness& witness : shape.witnesses) {
    // No key of the class has such a value, but for the names that are left out.
    const std::vector<SetId> others = space_.outside(witness.set);
    if (others.size() > 1) {
      space_.refusal().unsupported(*at_, "the complement of a complement of additional properties");
      return {};
    }
    ObjectShape each;
    for (const std::string& name : witness.but) each.known.push_back({name, kAnySet, false});
    add_rule(each, {witness.keys, others.empty() ? kNeverSet : others.front()});
    add(std::move(each));
  }
  for (const KeyDependency& dependency : shape.dependencies) {
    ObjectShape each;
    know(each, dependency.seen).required = true;
    know(each, dependency.required).set = kNeverSet;
    add(std::move(each));
  }
  add_other_sizes(shape, add);
  return shapes;
}

}  // namespace emberline::grammar
