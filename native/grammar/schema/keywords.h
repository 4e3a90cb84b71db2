// The keywords of JSON Schema that say something about values, and the drafts that know them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "grammar/json/json_value.h"

namespace emberline::grammar {

// Ascending in time. kAny: no `$schema`: 2020-12, and what earlier drafts write differently.
enum class Draft : std::uint8_t { k4, k6, k7, k2019, k2020, kAny };

enum class Keyword : std::uint8_t {
  kRef,
  kDynamicRef,
  kRecursiveRef,
  kType,
  kEnum,
  kConst,
  kMinimum,
  kMaximum,
  kExclusiveMinimum,
  kExclusiveMaximum,
  kMultipleOf,
  kMinLength,
  kMaxLength,
  kPattern,
  kFormat,
  kContentEncoding,
  kContentMediaType,
  kProperties,
  kPatternProperties,
  kAdditionalProperties,
  kPropertyNames,
  kRequired,
  kMinProperties,
  kMaxProperties,
  kDependencies,
  kDependentRequired,
  kDependentSchemas,
  kUnevaluatedProperties,
  kItems,
  kPrefixItems,
  kAdditionalItems,
  kContains,
  kMinContains,
  kMaxContains,
  kMinItems,
  kMaxItems,
  kUniqueItems,
  kUnevaluatedItems,
  kAllOf,
  kAnyOf,
  kOneOf,
  kNot,
  kIf,
  kThen,
  kElse,
  kCount,
};

// The keywords of one schema object that its draft knows.
class Keywords {
 public:
  Keywords(const Json& schema, Draft draft);
  const Json* operator[](Keyword keyword) const { return values_[static_cast<std::size_t>(keyword)]; }
  bool empty() const { return count_ == 0; }
  bool only(Keyword keyword) const { return count_ == 1 && (*this)[keyword] != nullptr; }

 private:
  std::uint32_t count_ = 0;
  std::array<const Json*, static_cast<std::size_t>(Keyword::kCount)> values_{};
};

}  // namespace emberline::grammar
