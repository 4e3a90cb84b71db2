// What the keywords of one schema say, as a set in its form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grammar/schema/keywords.h"
#include "grammar/schema/set_space.h"
#include "grammar/schema/shape_algebra.h"
#include "grammar/schema/value_set.h"

namespace emberline::grammar {

class SchemaReader {
 public:
  explicit SchemaReader(SetSpace& space) : space_(space), algebra_(space), refusal_(space.refusal()) {}

  ValueSet schema(SchemaLocation location);
  // The value alone.
  ValueSet literal(const Json& value);

 private:
  // Keywords about one type; each set is met with what `set` holds so far.
  void types(const Json& value, ValueSet& set);
  void enumeration(const Json& value, ValueSet& set);
  void numbers(ValueSet& set);
  void strings(ValueSet& set);
  void objects(ValueSet& set);
  void arrays(ValueSet& set);
  void unevaluated(ValueSet& set);
  // Keywords that apply schemas to the same value.
  void references(ValueSet& set);
  void applicators(ValueSet& set);
  void conditional(ValueSet& set);
  void one_of(const Json& schemas, ValueSet& set);
  void dependencies(ValueSet& set);
  void dependent_schema(const std::string& key, const Json& schema, ValueSet& set);
  ValueSet any_of(const Json& schemas);

  void known_properties(ObjectShape& shape);
  void key_names(ObjectShape& shape);
  void items(ArrayShape& shape);
  void contains(ArrayShape& shape);

  const Json* keyword(Keyword name) const { return (*keywords_)[name]; }
  SetId sub(const Json& schema) { return space_.of_schema(space_.document().within(location_, schema)); }
  const ValueSet& form(const Json& schema) { return space_.form(sub(schema)); }
  std::uint32_t count(const Json& value);
  std::optional<Decimal> number(const Json* value);
  bool expect(const Json& value, JsonKind kind, std::string_view what);

  SetSpace& space_;
  ShapeAlgebra algebra_;
  Refusal& refusal_;
  SchemaLocation location_;
  Draft draft_ = Draft::kAny;
  const Keywords* keywords_ = nullptr;
};

}  // namespace emberline::grammar
