#include "grammar/schema/value_set.h"

#include <algorithm>

namespace emberline::grammar {

bool ObjectShape::closed() const {
  return std::any_of(rules.begin(), rules.end(), [](const KeyRule& rule) {
    return rule.set == kNeverSet && rule.keys.none_of && rule.keys.languages.empty();
  });
}

const KnownKey* ObjectShape::find(std::string_view key) const {
  const auto found = std::ranges::lower_bound(known, key, {}, &KnownKey::key);
  return found != known.end() && found->key == key ? &*found : nullptr;
}

ValueSet ValueSet::everything() {
  static const auto object = std::make_shared<const ObjectShape>();
  static const auto array = std::make_shared<const ArrayShape>();
  ValueSet set;
  set.words = kNull | kFalse | kTrue;
  set.numbers.emplace_back();
  set.strings.emplace_back();
  set.objects.push_back(object);
  set.arrays.push_back(array);
  return set;
}

}  // namespace emberline::grammar
