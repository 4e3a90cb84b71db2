#include "grammar/schema/keywords.h"

#include <unordered_map>

namespace emberline::grammar {

namespace {

struct Entry {
  std::string_view name;
  Draft first, last;
};

constexpr Draft kEver = Draft::k4;
constexpr Draft kStill = Draft::kAny;

// In the order of Keyword.
constexpr std::array<Entry, static_cast<std::size_t>(Keyword::kCount)> kEntries = {{
    {"$ref", kEver, kStill},
    {"$dynamicRef", Draft::k2020, kStill},
    {"$recursiveRef", Draft::k2019, Draft::k2019},
    {"type", kEver, kStill},
    {"enum", kEver, kStill},
    {"const", Draft::k6, kStill},
    {"minimum", kEver, kStill},
    {"maximum", kEver, kStill},
    {"exclusiveMinimum", kEver, kStill},
    {"exclusiveMaximum", kEver, kStill},
    {"multipleOf", kEver, kStill},
    {"minLength", kEver, kStill},
    {"maxLength", kEver, kStill},
    {"pattern", kEver, kStill},
    {"format", kEver, kStill},
    {"contentEncoding", Draft::k7, Draft::k7},
    {"contentMediaType", Draft::k7, Draft::k7},
    {"properties", kEver, kStill},
    {"patternProperties", kEver, kStill},
    {"additionalProperties", kEver, kStill},
    {"propertyNames", Draft::k6, kStill},
    {"required", kEver, kStill},
    {"minProperties", kEver, kStill},
    {"maxProperties", kEver, kStill},
    {"dependencies", kEver, kStill},
    {"dependentRequired", Draft::k2019, kStill},
    {"dependentSchemas", Draft::k2019, kStill},
    {"unevaluatedProperties", Draft::k2019, kStill},
    {"items", kEver, kStill},
    {"prefixItems", Draft::k2020, kStill},
    {"additionalItems", kEver, kStill},
    {"contains", Draft::k6, kStill},
    {"minContains", Draft::k2019, kStill},
    {"maxContains", Draft::k2019, kStill},
    {"minItems", kEver, kStill},
    {"maxItems", kEver, kStill},
    {"uniqueItems", kEver, kStill},
    {"unevaluatedItems", Draft::k2019, kStill},
    {"allOf", kEver, kStill},
    {"anyOf", kEver, kStill},
    {"oneOf", kEver, kStill},
    {"not", kEver, kStill},
    {"if", Draft::k7, kStill},
    {"then", Draft::k7, kStill},
    {"else", Draft::k7, kStill},
}};

const std::unordered_map<std::string_view, Keyword>& by_name() {
  static const auto* const table = [] {
    auto* const made = new std::unordered_map<std::string_view, Keyword>;
    for (std::size_t i = 0; i < kEntries.size(); ++i)
      made->emplace(kEntries[i].name, static_cast<Keyword>(i));
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
    if (found == by_name().end()) continue;
    const auto index = static_cast<std::size_t>(found->second);
    if (!knows(draft, kEntries[index])) continue;
    values_[index] = &schema.items[i];
    ++count_;
  }
}

}  // namespace emberline::grammar
