// Keywords that apply schemas to the same value, and what none of them has looked at.
#include <algorithm>

#include "grammar/schema/schema_reader.h"

namespace emberline::grammar {

void SchemaReader::references(ValueSet& set) {
  const SchemaDocument& document = space_.document();
  const auto follow = [&](const Json& reference, Result<SchemaLocation> target) {
    if (target.ok()) {
      set = algebra_.meet(set, space_.form(space_.of_schema(target.value())));
    } else {
      refusal_.take_at(reference, target.error());
    }
  };
  if (const Json* value = keyword(Keyword::kRef)) follow(*value, document.target(location_, *value));
  if (const Json* value = keyword(Keyword::kDynamicRef))
    follow(*value, document.dynamic_target(location_, *value));
  if (const Json* value = keyword(Keyword::kRecursiveRef))
    follow(*value, document.recursive_target(location_, *value));
}

void SchemaReader::applicators(ValueSet& set) {
  const auto schemas = [&](Keyword name) {
    const Json* value = keyword(name);
    if (value != nullptr && !value->is(JsonKind::kArray)) {
      refusal_.invalid(*value, "an array of schemas is expected");
      value = nullptr;
    }
    return value;
  };
  if (const Json* all = schemas(Keyword::kAllOf)) {
    for (const Json& each : all->items) {
      if (refusal_.any()) return;
      set = algebra_.meet(set, form(each));
    }
  }
  if (const Json* any = schemas(Keyword::kAnyOf)) set = algebra_.meet(set, any_of(*any));
  if (const Json* one = schemas(Keyword::kOneOf)) one_of(*one, set);
  if (const Json* value = keyword(Keyword::kNot)) {
    const SetId inner = sub(*value);
    if (inner == kAnySet) {
      set = {};
    } else if (inner != kNeverSet) {
      set = algebra_.difference(set, space_.form(inner), *value);
    }
  }
}

ValueSet SchemaReader::any_of(const Json& schemas) {
  const bool tracks = space_.document().tracks_evaluated();
  ValueSet together;
  for (const Json& each : schemas.items) {
    if (refusal_.any()) break;
    const ValueSet& one = form(each);
    // Where evaluated properties matter, what holds for several of the schemas has been looked at by each.
    if (tracks) algebra_.join(together, algebra_.meet(together, one));
    algebra_.join(together, one);
  }
  return together;
}

void SchemaReader::one_of(const Json& schemas, ValueSet& set) {
  const std::size_t size = schemas.items.size();
  // Only what the keywords beside this one leave over has to be told apart.
  std::vector<ValueSet> forms;
  for (const Json& each : schemas.items) {
    forms.push_back(algebra_.meet(set, form(each)));
    if (refusal_.any()) return;
  }
  std::vector<std::vector<std::size_t>> overlaps(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i + 1; j < size; ++j) {
      if (!refusal_.spend(4)) return;
      if (algebra_.disjoint(forms[i], forms[j])) continue;
      overlaps[i].push_back(j);
      overlaps[j].push_back(i);
    }
  }
  ValueSet together;
  for (std::size_t i = 0; i < size && !refusal_.any(); ++i) {
    ValueSet alone = forms[i];
    for (const std::size_t j : overlaps[i]) alone = algebra_.difference(alone, forms[j], schemas.items[j]);
    algebra_.join(together, alone);
  }
  set = std::move(together);
}

void SchemaReader::conditional(ValueSet& set) {
  const Json* condition = keyword(Keyword::kIf);
  const Json* then = keyword(Keyword::kThen);
  const Json* otherwise = keyword(Keyword::kElse);
  if (condition == nullptr || refusal_.any()) return;
  const bool tracks = space_.document().tracks_evaluated();
  if (then == nullptr && otherwise == nullptr && !tracks) return;
  ValueSet holds = algebra_.meet(set, form(*condition));
  if (then != nullptr) holds = algebra_.meet(holds, form(*then));
  ValueSet fails = algebra_.difference(set, form(*condition), *condition);
  if (otherwise != nullptr) fails = algebra_.meet(fails, form(*otherwise));
  set = std::move(holds);
  algebra_.join(set, fails);
}

void SchemaReader::unevaluated(ValueSet& set) {
  if (!space_.document().tracks_evaluated()) {
    // Nothing was kept of what has been looked at: the reference leads to what is no schema anywhere else.
    for (const Keyword name : {Keyword::kUnevaluatedProperties, Keyword::kUnevaluatedItems})
      if (const Json* value = keyword(name))
        refusal_.unsupported(*value, "the name of a property is no keyword of a schema");
    return;
  }
  if (const Json* value = keyword(Keyword::kUnevaluatedProperties)) {
    const SetId wanted = sub(*value);
    for (ObjectPointer& shape : set.objects) {
      ObjectShape made = *shape;
      const EvaluatedKeys evaluated = std::exchange(made.evaluated, {true, {}, {}});
      if (!evaluated.all) {
        const KeyClass others{evaluated.languages, true};
        for (KnownKey& key : made.known) {
          if (!std::binary_search(evaluated.names.begin(), evaluated.names.end(), key.key) &&
              algebra_.applies(others, key.key))
            key.set = space_.meet(key.set, wanted);
        }
        ShapeAlgebra::add_rule(made, {others, wanted});
      }
      shape = std::make_shared<const ObjectShape>(std::move(made));
    }
  }
  if (const Json* value = keyword(Keyword::kUnevaluatedItems)) {
    const SetId wanted = sub(*value);
    for (ArrayPointer& shape : set.arrays) {
      ArrayShape made = *shape;
      if (draft_ >= Draft::k2020 && made.evaluated != kUnbounded && !made.counts.empty()) {
        refusal_.unsupported(*value, "what contains has looked at depends on the items");
        return;
      }
      const std::uint32_t evaluated = std::exchange(made.evaluated, kUnbounded);
      if (evaluated == kUnbounded) continue;
      while (made.prefix.size() < evaluated) made.prefix.push_back(made.rest);
      for (std::size_t i = evaluated; i < made.prefix.size(); ++i)
        made.prefix[i] = space_.meet(made.prefix[i], wanted);
      made.rest = space_.meet(made.rest, wanted);
      shape = std::make_shared<const ArrayShape>(std::move(made));
    }
  }
}

}  // namespace emberline::grammar
