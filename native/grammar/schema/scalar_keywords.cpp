// Keywords about numbers and strings.
#include <algorithm>

#include "grammar/schema/schema_reader.h"

namespace emberline::grammar {

void SchemaReader::numbers(ValueSet& set) {
  NumberShape shape;
  NumberRule& rule = shape.rule;
  rule.least = number(keyword(Keyword::kMinimum));
  rule.most = number(keyword(Keyword::kMaximum));
  if (const Json* value = keyword(Keyword::kExclusiveMinimum)) {
    if (value->boolean()) {  // draft 4
      rule.least_exclusive = value->is(JsonKind::kTrue) && rule.least;
    } else if (const std::optional<Decimal> bound = number(value)) {
      rule.bound_below(*bound, true);
    }
  }
  if (const Json* value = keyword(Keyword::kExclusiveMaximum)) {
    if (value->boolean()) {
      rule.most_exclusive = value->is(JsonKind::kTrue) && rule.most;
    } else if (const std::optional<Decimal> bound = number(value)) {
      rule.bound_above(*bound, true);
    }
  }
  if (const Json* value = keyword(Keyword::kMultipleOf)) {
    if (const std::optional<Decimal> divisor = number(value)) {
      if (divisor->negative || divisor->zero()) {
        refusal_.invalid(*value, "a divisor is above 0");
      } else {
        rule.multiples_of.push_back(*divisor);
      }
    }
  }
  if (shape.any()) return;
  ValueSet wanted = ValueSet::everything();
  wanted.numbers = {std::move(shape)};
  set = algebra_.meet(set, wanted);
}

void SchemaReader::strings(ValueSet& set) {
  StringShape shape;
  if (const Json* value = keyword(Keyword::kMinLength)) shape.least = count(*value);
  if (const Json* value = keyword(Keyword::kMaxLength)) shape.most = count(*value);
  LanguageSpace& languages = space_.languages();
  if (const Json* value = keyword(Keyword::kPattern)) {
    if (expect(*value, JsonKind::kString, "a pattern is a string"))
      shape.language = languages.pattern(value->text, *value, shape.least, shape.most);
  }
  if (const Json* value = keyword(Keyword::kFormat)) {
    if (expect(*value, JsonKind::kString, "a format is a string")) {
      if (const std::optional<LanguageId> format = languages.format(value->text, *value))
        shape.language = languages.meet(shape.language, *format);
    }
  }
  for (const Keyword name : {Keyword::kContentEncoding, Keyword::kContentMediaType})
    if (const Json* value = keyword(name))
      refusal_.unsupported(*value,
                           "what draft 7 lets a validator check, and later drafts do not, is not enforced");
  if (shape.any()) return;
  ValueSet wanted = ValueSet::everything();
  wanted.strings = {shape};
  set = algebra_.meet(set, wanted);
}

}  // namespace emberline::grammar
