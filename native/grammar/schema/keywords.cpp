#include "grammar/schema/keywords.h"

#include <iterator>
#include <unordered_map>

namespace emberline::grammar {

namespace {

struct Entry {
  Keyword keyword;
  std::string_view name;
  Draft first, last;
};

constexpr Draft kEver = Draft::k4;
constexpr Draft kStill = Draft::kAny;

constexpr Entry kEntries[] = {
    {Keyword::kRef, "$ref", kEver, kStill},
    {Keyword::kDynamicRef, "$dynamicRef", Draft::k2020, kStill},
    {Keyword::kRecursiveRef, "$recursiveRef", Draft::k2019, Draft::k2019},
    {Keyword::kType, "type", kEver, kStill},
    {Keyword::kEnum, "enum", kEver, kStill},
    {Keyword::kConst, "const", Draft::k6, kStill},
    {Keyword::kMinimum, "minimum", kEver, kStill},
    {Keyword::kMaximum, "maximum", kEver, kStill},
    {Keyword::kExclusiveMinimum, "exclusiveMinimum", kEver, kStill},
    {Keyword::kExclusiveMaximum, "exclusiveMaximum", kEver, kStill},
    {Keyword::kMultipleOf, "multipleOf", kEver, kStill},
    {Keyword::kMinLength, "minLength", kEver, kStill},
    {Keyword::kMaxLength, "maxLength", kEver, kStill},
    {Keyword::kPattern, "pattern", kEver, kStill},
    {Keyword::kFormat, "format", kEver, kStill},
    {Keyword::kContentEncoding, "contentEncoding", Draft::k7, Draft::k7},
    {Keyword::kContentMediaType, "contentMediaType", Draft::k7, Draft::k7},
    {Keyword::kProperties, "properties", kEver, kStill},
    {Keyword::kPatternProperties, "patternProperties", kEver, kStill},
    {Keyword::kAdditionalProperties, "additionalProperties", kEver, kStill},
    {Keyword::kPropertyNames, "propertyNames", Draft::k6, kStill},
    {Keyword::kRequired, "required", kEver, kStill},
    {Keyword::kMinProperties, "minProperties", kEver, kStill},
    {Keyword::kMaxProperties, "maxProperties", kEver, kStill},
    {Keyword::kDependencies, "dependencies", kEver, kStill},
    {Keyword::kDependentRequired, "dependentRequired", Draft::k2019, kStill},
    {Keyword::kDependentSchemas, "dependentSchemas", Draft::k2019, kStill},
    {Keyword::kUnevaluatedProperties, "unevaluatedProperties", Draft::k2019, kStill},
    {Keyword::kItems, "items", kEver, kStill},
    {Keyword::kPrefixItems, "prefixItems", Draft::k2020, kStill},
    {Keyword::kAdditionalItems, "additionalItems", kEver, kStill},
    {Keyword::kContains, "contains", Draft::k6, kStill},
    {Keyword::kMinContains, "minContains", Draft::k2019, kStill},
    {Keyword::kMaxContains, "maxContains", Draft::k2019, kStill},
    {Keyword::kMinItems, "minItems", kEver, kStill},
    {Keyword::kMaxItems, "maxItems", kEver, kStill},
    {Keyword::kUniqueItems, "uniqueItems", kEver, kStill},
    {Keyword::kUnevaluatedItems, "unevaluatedItems", Draft::k2019, kStill},
    {Keyword::kAllOf, "allOf", kEver, kStill},
    {Keyword::kAnyOf, "anyOf", kEver, kStill},
    {Keyword::kOneOf, "oneOf", kEver, kStill},
    {Keyword::kNot, "not", kEver, kStill},
    {Keyword::kIf, "if", Draft::k7, kStill},
    {Keyword::kThen, "then", Draft::k7, kStill},
    {Keyword::kElse, "else", Draft::k7, kStill},
};
static_assert(std::size(kEntries) == static_cast<std::size_t>(Keyword::kCount));

const std::unordered_map<std::string_view, const Entry*>& by_name() {
  static const auto* const table = [] {
    auto* const made = new std::unordered_map<std::string_view, const Entry*>;
    for (const Entry& entry : kEntries) made->emplace(entry.name, &entry);
    return made;
  }();
  return *table;
}

bool knows(Draft draft, const Entry& entry) {
  return draft >= entry.first && (draft <= entry.last || draft == Draft::kAny);
}

}  // namespace

Keywords::Keywords(const Json& schema, Draft draft) {
  for (std::size_t i = 0; i < schema.keys.size(); ++i) {
    const auto found = by_name().find(schema.keys[i]);
    if (found == by_name().end() || !knows(draft, *found->second)) continue;
    values_[static_cast<std::size_t>(found->second->keyword)] = &schema.items[i];
    ++count_;
  }
}

}  // namespace emberline::grammar
