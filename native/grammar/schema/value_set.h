// Sets of JSON values in the form that everything a schema says is brought into: a union of shapes, each of
// one type.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/json/json_value.h"
#include "grammar/program.h"
#include "grammar/regular/number_text.h"
#include "grammar/schema/language_space.h"

namespace emberline::grammar {

// A set by its number: an intersection of schemas, whose form is made when first asked for (SetSpace).
using SetId = std::uint32_t;
inline constexpr SetId kAnySet = 0;
inline constexpr SetId kNeverSet = 1;

struct NumberShape {
  NumberRule rule;
  std::vector<Decimal> not_multiples_of;       // of none of them; ascending
  std::optional<std::vector<Decimal>> values;  // one of these, which the rest lets through; ascending

  bool any() const { return !rule.limited() && not_multiples_of.empty() && !values; }
  // Orders shapes for maps, not by the numbers they have.
  auto operator<=>(const NumberShape&) const = default;
};

struct StringShape {
  LanguageId language = kAnyLanguage;
  std::uint32_t least = 0, most = kUnbounded;  // characters

  bool bounded() const { return least > 0 || most != kUnbounded; }
  bool any() const { return language == kAnyLanguage && !bounded(); }
  bool operator==(const StringShape&) const = default;
};

// Keys of an object that are not known by name: those of any of `languages`, or those of none.
struct KeyClass {
  std::vector<LanguageId> languages;  // ascending
  bool none_of = false;
  bool operator==(const KeyClass&) const = default;
};

struct KnownKey {
  std::string key;
  SetId set = kAnySet;
  bool required = false;
  bool operator==(const KnownKey&) const = default;
};

// All keys of the class that are not known have values of the set.
struct KeyRule {
  KeyClass keys;
  SetId set = kAnySet;
  bool operator==(const KeyRule&) const = default;
};

// A key of the class, none of `but`, has a value of the set.
struct KeyWitness {
  KeyClass keys;
  std::vector<std::string> but;  // ascending
  SetId set = kAnySet;
  const Json* at = nullptr;  // where that is said
  bool operator==(const KeyWitness&) const = default;
};

struct KeyDependency {
  std::string seen, required;  // known keys
  bool operator==(const KeyDependency&) const = default;
};

// What unevaluatedProperties leaves alone.
struct EvaluatedKeys {
  bool all = false;
  std::vector<std::string> names;     // ascending
  std::vector<LanguageId> languages;  // ascending
  bool operator==(const EvaluatedKeys&) const = default;
};

struct ObjectShape {
  std::vector<KnownKey> known;  // ascending by key
  std::vector<KeyRule> rules;
  std::vector<KeyWitness> witnesses;
  std::vector<KeyDependency> dependencies;
  std::uint32_t least = 0, most = kUnbounded;  // members
  EvaluatedKeys evaluated;

  bool any() const { return *this == ObjectShape{}; }
  // No keys but the known ones.
  bool closed() const;
  const KnownKey* find(std::string_view key) const;
  bool operator==(const ObjectShape&) const = default;
};

// Of the items from index `from` on, so many are of the set.
struct ItemCount {
  SetId set = kAnySet;
  std::uint32_t from = 0;
  std::uint32_t least = 0, most = kUnbounded;
  const Json* at = nullptr;  // where that is said
  bool operator==(const ItemCount&) const = default;
};

struct ArrayShape {
  std::vector<SetId> prefix;
  SetId rest = kAnySet;
  std::uint32_t least = 0, most = kUnbounded;  // items
  std::vector<ItemCount> counts;
  const Json* unique = nullptr;  // where it is said that no two items are equal
  std::uint32_t evaluated = 0;   // items that unevaluatedItems leaves alone; kUnbounded: all

  bool any() const { return *this == ArrayShape{}; }
  SetId item(std::size_t index) const { return index < prefix.size() ? prefix[index] : rest; }
  bool operator==(const ArrayShape&) const = default;
};

using ObjectPointer = std::shared_ptr<const ObjectShape>;
using ArrayPointer = std::shared_ptr<const ArrayShape>;

struct ValueSet {
  static constexpr std::uint8_t kNull = 1, kFalse = 2, kTrue = 4;
  std::uint8_t words = 0;  // of the three above
  std::vector<NumberShape> numbers;
  std::vector<StringShape> strings;
  std::vector<ObjectPointer> objects;
  std::vector<ArrayPointer> arrays;

  static ValueSet everything();
  bool empty() const { return size() == 0; }
  std::size_t size() const {
    return (words != 0 ? 1 : 0) + numbers.size() + strings.size() + objects.size() + arrays.size();
  }
};

}  // namespace emberline::grammar
