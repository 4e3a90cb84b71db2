#include "grammar/schema/schema_reader.h"

#include <algorithm>

namespace emberline::grammar {

bool SchemaReader::expect(const Json& value, JsonKind kind, std::string_view what) {
  if (value.is(kind)) return true;
  refusal_.invalid(value, what);
  return false;
}

std::uint32_t SchemaReader::count(const Json& value) {
  constexpr std::uint32_t kLarge = kUnbounded - 1;
  const std::optional<Decimal> read = number(&value);
  if (!read) return 0;
  if (!read->integer() || read->negative) {
    refusal_.invalid(value, "a count is an integer from 0 on");
    return 0;
  }
  if (static_cast<std::int64_t>(read->digits.size()) + read->exponent > 9) return kLarge;
  std::uint32_t result = 0;
  for (const char c : read->digits) result = result * 10 + static_cast<std::uint32_t>(c - '0');
  for (std::int64_t i = 0; i < read->exponent && !read->zero(); ++i) result *= 10;
  return result;
}

std::optional<Decimal> SchemaReader::number(const Json* value) {
  if (value == nullptr) return std::nullopt;
  if (!expect(*value, JsonKind::kNumber, "a number is expected")) return std::nullopt;
  Result<Decimal> read = decimal_from_json(value->text);
  if (read.ok()) return std::move(read).value();
  refusal_.take_at(*value, read.error());
  return std::nullopt;
}

ValueSet SchemaReader::literal(const Json& value) {
  ValueSet set;
  switch (value.kind) {
    case JsonKind::kNull: set.words = ValueSet::kNull; break;
    case JsonKind::kFalse: set.words = ValueSet::kFalse; break;
    case JsonKind::kTrue: set.words = ValueSet::kTrue; break;
    case JsonKind::kNumber:
      set.numbers.emplace_back();
      set.numbers.back().values.emplace();
      if (std::optional<Decimal> read = number(&value)) set.numbers.back().values->push_back(*read);
      break;
    case JsonKind::kString: set.strings.push_back({space_.languages().of_texts({value.text})}); break;
    case JsonKind::kObject: {
      ObjectShape shape;
      for (std::size_t i = 0; i < value.keys.size(); ++i)
        shape.known.push_back({value.keys[i], space_.of_literal(value.items[i]), true});
      std::ranges::sort(shape.known, {}, &KnownKey::key);
      ShapeAlgebra::close(shape);
      set.objects.push_back(std::make_shared<const ObjectShape>(std::move(shape)));
      break;
    }
    case JsonKind::kArray: {
      ArrayShape shape;
      for (const Json& item : value.items) shape.prefix.push_back(space_.of_literal(item));
      shape.rest = kNeverSet;
      shape.least = shape.most = static_cast<std::uint32_t>(value.items.size());
      set.arrays.push_back(std::make_shared<const ArrayShape>(std::move(shape)));
      break;
    }
  }
  return set;
}

void SchemaReader::types(const Json& value, ValueSet& set) {
  ValueSet wanted;
  const ValueSet all = ValueSet::everything();
  const auto add = [&](const Json& type) {
    if (!expect(type, JsonKind::kString, "a type is a string")) return;
    const std::string& name = type.text;
    ValueSet one;
    if (name == "null") {
      one.words = ValueSet::kNull;
    } else if (name == "boolean") {
      one.words = ValueSet::kFalse | ValueSet::kTrue;
    } else if (name == "number") {
      one.numbers = all.numbers;
    } else if (name == "integer") {
      one.numbers.emplace_back();
      one.numbers.back().rule.integer = true;
    } else if (name == "string") {
      one.strings = all.strings;
    } else if (name == "object") {
      one.objects = all.objects;
    } else if (name == "array") {
      one.arrays = all.arrays;
    } else {
      refusal_.invalid(type, "there is no type of this name");
    }
    algebra_.join(wanted, one);
  };
  if (value.is(JsonKind::kArray)) {
    for (const Json& type : value.items) add(type);
    if (wanted.numbers.size() > 1) wanted.numbers = all.numbers;  // integers are numbers
  } else {
    add(value);
  }
  set = algebra_.meet(set, wanted);
}

void SchemaReader::enumeration(const Json& value, ValueSet& set) {
  if (!expect(value, JsonKind::kArray, "enum is an array")) return;
  ValueSet wanted;
  std::vector<std::string> texts;
  std::vector<Decimal> numbers;
  for (const Json& each : value.items) {
    if (each.is(JsonKind::kString)) {
      texts.push_back(each.text);
    } else if (each.is(JsonKind::kNumber)) {
      if (std::optional<Decimal> read = number(&each)) numbers.push_back(*std::move(read));
    } else {
      algebra_.join(wanted, literal(each));
    }
  }
  if (!numbers.empty()) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    wanted.numbers.emplace_back();
    wanted.numbers.back().values = std::move(numbers);
  }
  if (!texts.empty()) wanted.strings.push_back({space_.languages().of_texts(std::move(texts))});
  set = algebra_.meet(set, wanted);
}

ValueSet SchemaReader::schema(SchemaLocation location) {
  const Json& json = *location.json;
  if (json.is(JsonKind::kTrue)) return ValueSet::everything();
  if (json.is(JsonKind::kFalse)) return {};
  if (!json.is(JsonKind::kObject)) {
    refusal_.invalid(json, "a schema is an object or a boolean");
    return {};
  }
  location_ = location;
  draft_ = space_.document().draft(location.resource);
  const Keywords keywords(json, draft_);
  keywords_ = &keywords;
  refusal_.spend(4);

  ValueSet set = ValueSet::everything();
  if (draft_ <= Draft::k7 && keyword(Keyword::kRef) != nullptr) {
    references(set);
    return set;
  }
  if (const Json* value = keyword(Keyword::kType)) types(*value, set);
  if (const Json* value = keyword(Keyword::kConst)) set = algebra_.meet(set, literal(*value));
  if (const Json* value = keyword(Keyword::kEnum)) enumeration(*value, set);
  if (!set.numbers.empty()) numbers(set);
  if (!set.strings.empty()) strings(set);
  if (!set.objects.empty()) objects(set);
  if (!set.arrays.empty()) arrays(set);
  references(set);
  applicators(set);
  if (!set.objects.empty()) dependencies(set);
  conditional(set);
  unevaluated(set);
  return set;
}

}  // namespace emberline::grammar
