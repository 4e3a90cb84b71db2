// Keywords about objects.
#include <algorithm>
#include <utility>

#include "grammar/schema/schema_reader.h"

namespace emberline::grammar {

namespace {

template <typename T>
void sort_once(std::vector<T>& all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

}  // namespace

// properties, patternProperties, additionalProperties
void SchemaReader::known_properties(ObjectShape& shape) {
  KeyClass others{{}, true};
  if (const Json* value = keyword(Keyword::kPatternProperties)) {
    if (!expect(*value, JsonKind::kObject, "patternProperties is an object")) return;
    for (std::size_t i = 0; i < value->keys.size(); ++i) {
      const LanguageId language = space_.languages().pattern(value->keys[i], value->items[i]);
      others.languages.push_back(language);
      KeyRule rule;
      rule.keys.languages.push_back(language);
      rule.set = sub(value->items[i]);
      ShapeAlgebra::add_rule(shape, rule);
    }
    sort_once(others.languages);
  }
  if (const Json* value = keyword(Keyword::kProperties)) {
    if (!expect(*value, JsonKind::kObject, "properties is an object")) return;
    for (std::size_t i = 0; i < value->keys.size(); ++i) {
      const std::string& key = value->keys[i];
      SetId set = sub(value->items[i]);
      for (const KeyRule& rule : shape.rules)  // of the patterns
        if (algebra_.applies(rule.keys, key)) set = space_.meet(set, rule.set);
      shape.known.push_back({key, set, false});
      shape.evaluated.names.push_back(key);
    }
    std::ranges::sort(shape.known, {}, &KnownKey::key);
  }
  if (const Json* value = keyword(Keyword::kAdditionalProperties)) {
    shape.evaluated.all = true;
    if (others.languages.empty()) {
      ShapeAlgebra::add_rule(shape, {others, sub(*value)});
    } else {
      // Rules of patterns hold beside this one, which a closed shape would drop.
      const KeyRule rule{others, sub(*value)};
      if (rule.set != kAnySet) shape.rules.push_back(rule);
    }
  }
  shape.evaluated.languages = others.languages;
  std::sort(shape.evaluated.names.begin(), shape.evaluated.names.end());
  if (!space_.document().tracks_evaluated()) shape.evaluated = {};
}

void SchemaReader::key_names(ObjectShape& shape) {
  const Json* value = keyword(Keyword::kPropertyNames);
  if (value == nullptr) return;
  LanguageSpace& languages = space_.languages();
  LanguageId names = kNoLanguage;
  for (const StringShape& each : form(*value).strings) {
    const LanguageId one =
        each.bounded() ? languages.with_length(each.language, each.least, each.most) : each.language;
    names = languages.join(names, one);
  }
  if (names == kAnyLanguage) return;
  for (KnownKey& key : shape.known) {
    if (languages.has(names, key.key)) continue;
    if (languages.has(languages.around(names), key.key)) {
      refusal_.unsupported(*value, "whether a known key is of this format is not decided");
      return;
    }
    key.set = kNeverSet;
  }
  if (const std::vector<std::string>* texts = languages.texts(names)) {
    for (const std::string& text : std::vector<std::string>(*texts)) {
      if (refusal_.any()) return;
      algebra_.know(shape, text);
    }
    ShapeAlgebra::close(shape);
  } else {
    KeyRule rule;
    rule.keys = {{names}, true};
    rule.set = kNeverSet;
    ShapeAlgebra::add_rule(shape, rule);
  }
}

void SchemaReader::objects(ValueSet& set) {
  ObjectShape shape;
  known_properties(shape);
  key_names(shape);
  if (refusal_.any()) return;
  if (const Json* value = keyword(Keyword::kRequired)) {
    if (!expect(*value, JsonKind::kArray, "required is an array of names")) return;
    for (const Json& name : value->items) {
      if (!expect(name, JsonKind::kString, "a name is a string") || refusal_.any()) return;
      algebra_.know(shape, name.text).required = true;
    }
  }
  if (const Json* value = keyword(Keyword::kMinProperties)) shape.least = count(*value);
  if (const Json* value = keyword(Keyword::kMaxProperties)) shape.most = count(*value);
  for (const Keyword name : {Keyword::kDependentRequired, Keyword::kDependencies}) {
    const Json* value = keyword(name);
    if (value == nullptr) continue;
    if (!expect(*value, JsonKind::kObject, "an object is expected")) return;
    for (std::size_t i = 0; i < value->keys.size(); ++i) {
      std::vector<const Json*> required;
      if (value->items[i].is(JsonKind::kArray)) {
        for (const Json& each : value->items[i].items) required.push_back(&each);
      } else if (value->items[i].is(JsonKind::kString)) {  // draft 3, and found in schemas of later ones
        required.push_back(&value->items[i]);
      } else if (name == Keyword::kDependentRequired) {
        refusal_.invalid(value->items[i], "an array of names is expected");
      }
      for (const Json* each : required) {
        if (!expect(*each, JsonKind::kString, "a name is a string") || refusal_.any()) return;
        algebra_.know(shape, value->keys[i]);
        algebra_.know(shape, each->text);
        shape.dependencies.push_back({value->keys[i], each->text});
      }
    }
  }
  if (shape.any()) return;
  ValueSet wanted = ValueSet::everything();
  wanted.objects = {std::make_shared<const ObjectShape>(std::move(shape))};
  set = algebra_.meet(set, wanted);
}

// Either `key` is not there, or it is and `schema` holds.
void SchemaReader::dependent_schema(const std::string& key, const Json& schema, ValueSet& set) {
  const auto with_key = [&key](SetId value, bool required) {
    ObjectShape shape;
    shape.known.push_back({key, value, required});
    return std::vector<ObjectPointer>{std::make_shared<const ObjectShape>(std::move(shape))};
  };
  ValueSet wanted = ValueSet::everything();
  wanted.objects = with_key(kNeverSet, false);
  // Without the key it does not matter whether the schema holds, but for what it evaluates.
  ValueSet there;
  there.objects = with_key(kAnySet, space_.document().tracks_evaluated());
  algebra_.join(wanted, algebra_.meet(there, form(schema)));
  set = algebra_.meet(set, wanted);
}

void SchemaReader::dependencies(ValueSet& set) {
  for (const Keyword name : {Keyword::kDependentSchemas, Keyword::kDependencies}) {
    const Json* value = keyword(name);
    if (value == nullptr || !expect(*value, JsonKind::kObject, "an object is expected")) continue;
    for (std::size_t i = 0; i < value->keys.size() && !refusal_.any(); ++i) {
      const Json& each = value->items[i];
      if (each.is(JsonKind::kObject) || each.boolean()) dependent_schema(value->keys[i], each, set);
    }
  }
}

}  // namespace emberline::grammar
