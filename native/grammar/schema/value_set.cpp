#include "grammar/schema/value_set.h"

#include <algorithm>

namespace emberline::grammar {

bool operator==(const NumberShape& a, const NumberShape& b) {
  const NumberRule& l = a.rule;
  const NumberRule& r = b.rule;
  return l.least == r.least && l.most == r.most && l.least_exclusive == r.least_exclusive &&
         l.most_exclusive == r.most_exclusive && l.integer == r.integer && l.multiples_of == r.multiples_of &&
         l.except == r.except && a.not_multiples_of == b.not_multiples_of && a.values == b.values;
}

bool ObjectShape::closed() const {
  return std::any_of(rules.begin(), rules.end(), [](const KeyRule& rule) {
    return rule.set == kNeverSet && rule.keys.none_of && rule.keys.languages.empty();
  });
}

const KnownKey* ObjectShape::find(std::string_view key) const {
  const auto found =
      std::lower_bound(known.begin(), known.end(), key,
                       [](const KnownKey& each, std::string_view name) { return each.key < name; });
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
